import { SegmentedControl, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { PointValue } from '@/lib/quality';
import type { DataSource } from '../api';
import { enteredNumber, entryOf } from '../command';
import type { Entered } from '../command';

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
export function ValueEntry({ source, entered, onChange, initial, inRow = false }: Props): ReactElement {
  const { t } = useTranslation();
  const entry = entryOf(source);
  if (entry.kind === 'switch') {
    const chosen = entered === null || !('value' in entered) ? '' : entered.value === entry.on ? 'on' : 'off';
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
          value={chosen}
          onChange={(which) => onChange({ value: which === 'on' ? entry.on : entry.off, text: '' })}
          data={(['off', 'on'] as const).map((which) => ({ value: which, label: t(`base:value.${which}`) }))}
          data-testid={inRow ? `batch-value-${source.ds_name}` : 'command-switch'}
        />
      </div>
    );
  }
  return <TypedEntry source={source} entered={entered} onChange={onChange} initial={initial} inRow={inRow} isNumber={entry.kind === 'number'} />;
}

/** The text stays as it was typed; what it means is told by the rule under it and on the button that sends it. */
function TypedEntry({ source, entered, onChange, initial, inRow, isNumber }: Props & { isNumber: boolean }): ReactElement {
  const { t } = useTranslation();
  const [text, setText] = useState(() => (initial === undefined || initial === null ? '' : String(initial)));
  const limits = limitsOf(source);
  const take = (typed: string): void => {
    setText(typed);
    if (isNumber) onChange(enteredNumber(typed, source));
    else onChange(typed === '' ? null : { value: typed, text: '' });
  };
  const rule = entered !== null && 'rule' in entered ? entered.rule : null;
  return (
    <TextInput
      {...(inRow ? { 'aria-label': source.ds_title } : { label: t('monitor:command.newValue'), 'data-autofocus': true })}
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
