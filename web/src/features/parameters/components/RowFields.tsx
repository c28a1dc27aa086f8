import { Input, SimpleGrid } from '@mantine/core';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ruleText } from '@/components/ruleText';
import { unusedFields } from '../model/dependencies';
import type { RowRules } from '../model/editing';
import type { Field, Group } from '../model/schema';
import { rowOf } from '../model/values';
import type { Entry } from '../model/values';
import { useWords } from '../useWords';
import { EntrySheet } from './EntrySheet';
import { FieldInput } from './FieldInput';

interface Props {
  group: Group;
  entry: Entry;
  rules: RowRules;
  disabled: boolean;
  onChange: (entry: Entry) => void;
  /** What a field of another row's name proposes: names of serial lines, slaves, points. */
  proposalsOf: (group: string, field: string) => readonly string[];
}

/** All fields of one row, whatever its group. */
export function RowFields({ group, entry, rules, disabled, onChange, proposalsOf }: Props): ReactElement {
  const unused = useMemo(() => unusedFields(group, rowOf(group, entry)), [group, entry]);
  const set = (field: Field, value: unknown): void =>
    onChange({ ...entry, values: { ...entry.values, [field.name]: value } });
  const plain = group.fields.filter(({ kind }) => kind !== 'entries');
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} spacing="md" verticalSpacing="sm">
        {plain.map((field) => {
          const rule = rules[field.name];
          return (
            <FieldInput
              key={field.name}
              group={group.name}
              field={field}
              path={field.name}
              value={entry.values[field.name]}
              error={rule === undefined ? undefined : ruleText(rule)}
              unused={unused.get(field.name)}
              disabled={disabled}
              onChange={(value) => set(field, value)}
              proposals={proposalsOf(group.name, field.name)}
            />
          );
        })}
      </SimpleGrid>
      {group.fields
        .filter(({ kind }) => kind === 'entries')
        .map((field) => (
          <ListField
            key={field.name}
            group={group.name}
            field={field}
            entries={entry.values[field.name] as readonly Entry[]}
            rules={rules}
            onChange={disabled ? undefined : (entries) => set(field, entries)}
          />
        ))}
    </>
  );
}

interface ListProps {
  group: string;
  field: Field;
  entries: readonly Entry[];
  rules: RowRules;
  onChange: ((entries: readonly Entry[]) => void) | undefined;
}

/** A list of entries in a row: factors of a platform, variables. */
export function ListField({ group, field, entries, rules, onChange }: ListProps): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  const label = words.label(field.label);
  const own = rules[field.name];
  const ofEntries = useMemo(() => {
    const made = new Map<number, Record<string, string>>();
    for (const [path, rule] of Object.entries(rules)) {
      const [name, at, inner] = path.split('.');
      const id = entries[Number(at)]?.id;
      if (name === field.name && id !== undefined && inner !== undefined)
        made.set(id, { ...made.get(id), [inner]: rule });
    }
    return made;
  }, [rules, entries, field.name]);
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={words.hint(field)}
      error={own === undefined ? undefined : ruleText(own)}
      withAsterisk={field.isRequired}
      mt="md"
      data-testid={`field-${field.name}`}
    >
      <EntrySheet
        name={`parameters-${field.name}`}
        label={label}
        group={group}
        fields={field.fields}
        entries={entries}
        maxRows={field.shape.maxItems ?? 1000}
        rules={ofEntries}
        onChange={onChange}
        empty={t('parameters:rows.none')}
      />
    </Input.Wrapper>
  );
}
