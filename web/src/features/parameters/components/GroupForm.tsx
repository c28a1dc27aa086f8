import { Alert, Button } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { ruleText } from '@/components/ruleText';
import { newEntry, rulesOf } from '../model/editing';
import type { Fault, Group } from '../model/schema';
import { isSheet } from '../model/schema';
import type { Entry } from '../model/values';
import classes from '../parameters.module.css';
import { useWords } from '../useWords';
import { EntrySheet } from './EntrySheet';
import { RowFields } from './RowFields';
import { RowList } from './RowList';

interface Props {
  group: Group;
  entries: readonly Entry[];
  faults: readonly Fault[];
  /** What the machine says of the group; undefined for nothing. */
  condition: { condition: string; reason: string } | undefined;
  disabled: boolean;
  onChange: (entries: readonly Entry[]) => void;
  proposalsOf: (group: string, field: string) => readonly string[];
}

type RuledProps = Props & { rules: ReturnType<typeof rulesOf> };

/** One group: fields of a group that is there once, else its rows. Nothing here knows a group by its name. */
export function GroupForm(props: Props): ReactElement {
  const { group, entries, faults, condition, disabled, onChange } = props;
  const { t } = useTranslation();
  const words = useWords();
  const rules = useMemo(() => rulesOf(entries, faults), [entries, faults]);
  const own = faults.find(({ field }) => field === '')?.rule;
  return (
    <section aria-label={words.label(group.title)} data-testid="group-form" data-group={group.name}>
      {condition === undefined ? null : (
        <Alert
          color={condition.condition === 'applied' ? 'green' : 'yellow'}
          mb="sm"
          data-testid="group-condition"
          data-condition={condition.condition}
        >
          {t(`parameters:condition.${condition.condition}`, { defaultValue: condition.condition })}
          {condition.reason === '' ? '' : ` ${words.reason(condition.reason)}`}
        </Alert>
      )}
      {own === undefined ? null : (
        <Alert color="red" mb="sm" role="alert">
          {ruleText(own)}
        </Alert>
      )}
      {group.key.length === 0 ? (
        <Single {...props} rules={rules} />
      ) : isSheet(group) ? (
        <EntrySheet
          name={`parameters-${group.name}`}
          label={words.label(group.title)}
          group={group.name}
          fields={group.fields}
          entries={entries}
          maxRows={group.maxRows}
          rules={rules}
          onChange={disabled ? undefined : onChange}
          empty={t('parameters:rows.none')}
        />
      ) : (
        <Several {...props} rules={rules} />
      )}
    </section>
  );
}

function Single(props: RuledProps): ReactElement {
  const { group, entries, rules, disabled, onChange, proposalsOf } = props;
  const { t } = useTranslation();
  const [entry] = entries;
  if (entry === undefined)
    return (
      <Empty
        title={t('parameters:group.unset')}
        text={t('parameters:group.unsetText')}
        action={
          <Button
            leftSection={<IconPlus size={16} />}
            disabled={disabled}
            onClick={() => onChange([newEntry(group, [])])}
            data-testid="group-set"
          >
            {t('parameters:group.set')}
          </Button>
        }
      />
    );
  return (
    <>
      <RowFields
        group={group}
        entry={entry}
        rules={rules.get(entry.id) ?? {}}
        disabled={disabled}
        onChange={(changed) => onChange([changed])}
        proposalsOf={proposalsOf}
      />
      <Button
        mt="md"
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<IconTrash size={14} />}
        disabled={disabled}
        onClick={() => onChange([])}
        data-testid="group-unset"
      >
        {t('parameters:group.remove')}
      </Button>
    </>
  );
}

function Several(props: RuledProps): ReactElement {
  const { group, entries, rules, disabled, onChange, proposalsOf } = props;
  const { t } = useTranslation();
  const [selected, setSelected] = useState(() => entries.find(({ id }) => rules.has(id))?.id);
  const current = entries.find(({ id }) => id === selected) ?? entries[0];
  return (
    <div className={classes.several}>
      <RowList
        group={group}
        entries={entries}
        rules={rules}
        selected={current?.id}
        disabled={disabled}
        onSelect={setSelected}
        onChange={onChange}
      />
      {current === undefined ? (
        <Empty title={t('parameters:rows.none')} />
      ) : (
        <div key={current.id}>
          <RowFields
            group={group}
            entry={current}
            rules={rules.get(current.id) ?? {}}
            disabled={disabled}
            onChange={(changed) => onChange(entries.map((each) => (each.id === changed.id ? changed : each)))}
            proposalsOf={proposalsOf}
          />
        </div>
      )}
    </div>
  );
}
