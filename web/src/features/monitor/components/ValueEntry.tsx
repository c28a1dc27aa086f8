import { SegmentedControl, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSwitchWords } from '@/blocks/live/useWords';
import { positionText } from '@/lib/numbers';
import type { PointValue } from '@/lib/quality';
import type { DataSource } from '../api';
import { enteredNumber, entryOf } from '../command';
import type { Entered, Rule } from '../command';

/** A choice among more than these can be searched. */
const SEARCH_FROM = 8;

interface Props {
  source: DataSource;
  entered: Entered;
  onChange: (entered: Entered) => void;
  /** Value that the entry begins with. */
  initial?: PointValue;
  /** In a row of a table: the point's name is the label, unseen. */
  inRow?: boolean;
}

/** Entry of a new value as its point wants it. */
export function ValueEntry(props: Props): ReactElement {
  const entry = entryOf(props.source);
  if (entry.kind === 'switch') return <SwitchEntry {...props} />;
  if (entry.kind === 'choice') return <ChoiceEntry {...props} choices={entry.choices} />;
  return <TypedEntry {...props} isNumber={entry.kind === 'number'} />;
}

function SwitchEntry({ source, entered, onChange, inRow = false }: Props): ReactElement {
  const { t } = useTranslation();
  const words = useSwitchWords();
  const rule = ruleOf(entered);
  const word = (position: boolean): string => positionText(position, source, words);
  return (
    <div>
      {inRow ? null : (
        <Text component="div" size="sm" fw={500} mb={4}>
          {t('monitor:command.newValue')}
        </Text>
      )}
      <SegmentedControl
        fullWidth
        aria-label={inRow ? source.ds_title : t('monitor:command.newValue')}
        value={entered !== null && 'value' in entered ? String(entered.value) : ''}
        onChange={(said) => onChange({ value: said === 'true', text: word(said === 'true') })}
        data={[false, true].map((position) => ({ value: String(position), label: word(position) }))}
        data-testid={inRow ? `batch-value-${source.ds_name}` : 'command-switch'}
      />
      {rule === null ? null : (
        <Text size="xs" c="red" mt={4} data-testid="command-value-error">
          {t(rule.key)}
        </Text>
      )}
    </div>
  );
}

function ChoiceEntry({
  source,
  entered,
  onChange,
  inRow = false,
  choices,
}: Props & { choices: { value: number; name: string }[] }): ReactElement {
  const { t } = useTranslation();
  const rule = ruleOf(entered);
  return (
    <Select
      {...(inRow
        ? { 'aria-label': source.ds_title }
        : { label: t('monitor:command.newValue'), 'data-autofocus': true })}
      data={choices.map(({ value, name }) => ({ value: String(value), label: name }))}
      value={entered !== null && 'value' in entered ? String(entered.value) : null}
      onChange={(said) => {
        const chosen = choices.find(({ value }) => String(value) === said);
        onChange(chosen === undefined ? null : { value: chosen.value, text: chosen.name });
      }}
      error={rule === null ? null : t(rule.key)}
      clearable={inRow}
      searchable={choices.length > SEARCH_FROM}
      data-testid={inRow ? `batch-value-${source.ds_name}` : 'command-value'}
    />
  );
}

function ruleOf(entered: Entered): Rule | null {
  return entered !== null && 'rule' in entered ? entered.rule : null;
}

/** The text stays as it was typed; what it means is told by the rule under it and on the button that sends it. */
function TypedEntry({
  source,
  entered,
  onChange,
  initial,
  inRow,
  isNumber,
}: Props & { isNumber: boolean }): ReactElement {
  const { t } = useTranslation();
  const [text, setText] = useState(() => (initial === undefined || initial === null ? '' : String(initial)));
  const limits = limitsOf(source);
  const take = (typed: string): void => {
    setText(typed);
    if (isNumber) onChange(enteredNumber(typed, source));
    else onChange(typed === '' ? null : { value: typed, text: '' });
  };
  const rule = ruleOf(entered);
  return (
    <TextInput
      {...(inRow
        ? { 'aria-label': source.ds_title }
        : { label: t('monitor:command.newValue'), 'data-autofocus': true })}
      description={limits === null || !isNumber ? undefined : t('monitor:command.limits', limits)}
      value={text}
      onChange={(event) => take(event.currentTarget.value)}
      error={rule === null ? null : t(rule.key, { limit: rule.limit })}
      errorProps={{ 'data-testid': 'command-value-error' }}
      inputMode={isNumber ? 'decimal' : 'text'}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      rightSection={isNumber && source.unit !== '' ? <Text size="xs">{source.unit}</Text> : null}
      rightSectionWidth={isNumber && source.unit !== '' ? 56 : undefined}
      data-testid={inRow ? `batch-value-${source.ds_name}` : 'command-value'}
    />
  );
}

function limitsOf({ min, max, unit }: DataSource): { min: number | string; max: number | string; unit: string } | null {
  if ((min ?? null) === null && (max ?? null) === null) return null;
  return { min: min ?? '−∞', max: max ?? '+∞', unit };
}
