import { ActionIcon, Button, Group as Line, TextInput, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconCopy, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { newEntry, titleOf } from '../model/editing';
import type { RowRules } from '../model/editing';
import type { Group } from '../model/schema';
import type { Entry } from '../model/values';
import classes from '../parameters.module.css';

/** So many are in the page; more are reached by searching. */
const VISIBLE = 100;

interface Props {
  group: Group;
  entries: readonly Entry[];
  rules: ReadonlyMap<number, RowRules>;
  selected: number | undefined;
  disabled: boolean;
  onSelect: (id: number) => void;
  onChange: (entries: readonly Entry[]) => void;
}

/** Rows of a group by their names, of which one is edited. */
export function RowList({ group, entries, rules, selected, disabled, onSelect, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const matching = entries.filter((entry) => titleOf(group, entry).toLowerCase().includes(search.trim().toLowerCase()));
  const current = entries.find(({ id }) => id === selected);
  const isFull = entries.length >= group.maxRows;
  const add = (copyOf: Entry | null): void => {
    const made = newEntry(group, entries, copyOf);
    onChange([...entries, made]);
    onSelect(made.id);
  };
  const full = isFull ? t('parameters:rows.full', { max: group.maxRows }) : undefined;
  return (
    <div>
      {entries.length > VISIBLE / 10 ? (
        <TextInput
          aria-label={t('parameters:rows.search')}
          placeholder={t('parameters:rows.search')}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          mb={6}
        />
      ) : null}
      <ul className={classes.rows} aria-label={t('parameters:rows.list')}>
        {matching.slice(0, VISIBLE).map((entry) => (
          <li key={entry.id}>
            <UnstyledButton
              className={classes.row}
              aria-current={entry.id === selected}
              onClick={() => onSelect(entry.id)}
              data-testid="parameter-row"
            >
              {titleOf(group, entry) || t('parameters:rows.unnamed')}
              {entry.values.enable === false ? (
                <span className={classes.hint}>{t('parameters:rows.disabled')}</span>
              ) : null}
              {rules.has(entry.id) ? (
                <IconAlertTriangle size={14} className={classes.bad} aria-label={t('parameters:group.faulty')} />
              ) : null}
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {matching.length > VISIBLE ? (
        <p className={classes.hint}>{t('parameters:rows.more', { count: VISIBLE })}</p>
      ) : null}
      <Line gap={6} mt={6}>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconPlus size={14} />}
          disabled={disabled || isFull}
          title={full}
          onClick={() => add(null)}
          data-testid="row-add"
        >
          {t('parameters:rows.add')}
        </Button>
        <ActionIcon
          variant="subtle"
          disabled={disabled || isFull || current === undefined}
          onClick={() => add(current ?? null)}
          aria-label={t('parameters:rows.copy')}
          title={full ?? t('parameters:rows.copy')}
          data-testid="row-copy"
        >
          <IconCopy size={16} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="red"
          disabled={disabled || current === undefined}
          onClick={() => onChange(entries.filter(({ id }) => id !== selected))}
          aria-label={t('parameters:rows.remove')}
          title={t('parameters:rows.remove')}
          data-testid="row-delete"
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Line>
    </div>
  );
}
