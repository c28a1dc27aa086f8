import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { SheetGrid } from '@/components/sheet/SheetGrid';
import type { CellFault, Column, SheetFaults } from '@/components/sheet/types';
import { ruleText } from '@/components/ruleText';
import type { Field } from '../model/schema';
import { entryOf } from '../model/values';
import type { Entry } from '../model/values';
import { useWords } from '../useWords';

interface Props {
  name: string;
  label: string;
  group: string;
  fields: readonly Field[];
  entries: readonly Entry[];
  maxRows: number;
  /** Rules by the id of an entry and the name of its field. */
  rules: ReadonlyMap<number, Readonly<Record<string, string>>>;
  /** Absent: only read. */
  onChange?: ((entries: readonly Entry[]) => void) | undefined;
  empty: string;
}

const MAX_HEIGHT_PX = 420;
const ROW_PX = 32;
const FRAME_PX = 170;
const WIDTH_PX = 150;
const keyOf = (entry: Entry): number => entry.id;
const mayDelete = (): boolean => true;

/** Rows of few plain fields, edited as in a spreadsheet: pasted from one, too. */
export function EntrySheet(props: Props): ReactElement {
  const { name, label, group, fields, entries, maxRows, rules, onChange, empty } = props;
  const words = useWords();
  const columns = useMemo(
    () =>
      fields.map((field) => columnOf(field, words.label(field.label), (value) => words.choice(group, field, value))),
    [fields, group, words],
  );
  const faults = useMemo<SheetFaults>(
    () =>
      new Map(
        [...rules].map(([id, of]) => [
          id,
          new Map(
            Object.entries(of).map(([field, rule]): [string, CellFault] => [
              field,
              { level: 'error', text: ruleText(rule) },
            ]),
          ),
        ]),
      ),
    [rules],
  );
  return (
    <SheetGrid
      name={name}
      label={label}
      rows={entries}
      rowKey={keyOf}
      columns={columns}
      onChange={onChange}
      faults={faults}
      newRow={(copyOf) =>
        copyOf === null ? entryOf(fields, {}, true) : { ...entryOf(fields, {}, true), values: copyOf.values }
      }
      mayDelete={mayDelete}
      maxRows={maxRows}
      height={Math.min(MAX_HEIGHT_PX, FRAME_PX + ROW_PX * Math.max(2, entries.length))}
      empty={empty}
    />
  );
}

function columnOf(field: Field, title: string, choice: (value: string | number) => string): Column<Entry> {
  const { name, kind } = field;
  const set = (entry: Entry, value: unknown): { row: Entry } => ({
    row: { ...entry, values: { ...entry.values, [name]: value } },
  });
  const shared = { key: name, title, width: WIDTH_PX };
  if (kind === 'switch')
    return {
      ...shared,
      kind,
      read: ({ values }) => (values[name] === true ? '1' : '0'),
      write: (entry, text) => set(entry, text === '1'),
    };
  if (kind === 'choice')
    return {
      ...shared,
      kind: 'select',
      options: field.choices.map((each) => ({ value: String(each), label: choice(each) })),
      read: ({ values }) => String(values[name] ?? ''),
      write: set,
    };
  if (kind === 'choices' || kind === 'texts')
    return {
      ...shared,
      kind: 'text',
      hint: kind === 'choices' ? field.choices.map((each) => `${each}: ${choice(each)}`).join('\n') : '',
      read: ({ values }) => (values[name] as readonly string[]).join(', '),
      write: (entry, text) => set(entry, partsOf(text)),
    };
  return {
    ...shared,
    kind: kind === 'integer' || kind === 'number' ? 'number' : 'text',
    read: ({ values }) => String(values[name] ?? ''),
    write: set,
  };
}

const partsOf = (text: string): string[] => text.split(/[\s,;\uFF0C\uFF1B]+/).filter((part) => part !== '');
