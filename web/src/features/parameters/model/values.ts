import { isNumeric, unusedFields } from './dependencies';
import type { Field, Group, Row } from './schema';

/** Values of inputs by field; '' for none. */
export type Values = Readonly<Record<string, unknown>>;

/** A row that is edited, or an entry of a list in it. id: stays with it. was: what it began as; null for a new one. */
export interface Entry {
  id: number;
  was: Row | null;
  values: Values;
}

let lastId = 0;

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What an input shows of a value; what is not there has its default. */
export function inputValue(field: Field, value: unknown): unknown {
  const given = value === undefined ? field.default : value;
  if (field.kind === 'entries')
    return (Array.isArray(given) ? given : []).map((row: Row) => entryOf(field.fields, row));
  if (field.kind === 'switch') return given === true;
  if (field.kind === 'pairs') return pairsText(given);
  if (field.kind === 'texts' || field.kind === 'choices') return Array.isArray(given) ? given : [];
  return given ?? '';
}

/** A row as it is edited. */
export function entryOf(fields: readonly Field[], row: Row, isNew = false): Entry {
  return {
    id: ++lastId,
    was: isNew ? null : row,
    values: Object.fromEntries(fields.map((field) => [field.name, inputValue(field, row[field.name])])),
  };
}

/** A value as documents have it; undefined for none. */
export function documentValue(field: Field, value: unknown): unknown {
  switch (field.kind) {
    case 'entries':
      return (value as readonly Entry[]).map((entry) => plainRow(field.fields, entry));
    case 'pairs':
      return pairsOf(String(value));
    case 'integer':
    case 'number':
      return value === '' ? undefined : numberOf(value);
    case 'choice':
      return value === '' ? undefined : (field.choices.find((each) => String(each) === String(value)) ?? value);
    case 'choices':
    case 'texts':
    case 'switch':
      return value;
    default:
      return value === '' && (field.isOptional || field.isRequired) ? undefined : value;
  }
}

/** What is no number stays as it was typed, so that it is refused. */
function numberOf(value: unknown): unknown {
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

/** The row without what has its default, unless it was written out before and is as it was. */
function plainRow(fields: readonly Field[], { was, values }: Entry): Row {
  return Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      const value = documentValue(field, values[field.name]);
      const before = was?.[field.name];
      if (before !== undefined && isSame(value, before)) return [[field.name, before]];
      return value === undefined || isSame(value, field.default) ? [] : [[field.name, value]];
    }),
  );
}

/** A row of a group as it is saved: what has no use falls away. */
export function rowOf(group: Group, entry: Entry): Row {
  const row = { ...plainRow(group.fields, entry) };
  if (typeof row.value === 'string' && isNumeric(group.name, row)) row.value = numberOf(row.value);
  for (const name of unusedFields(group, row).keys()) delete row[name];
  return row;
}

/** A table of texts, a line for each: 1 = M. */
function pairsText(value: unknown): string {
  return Object.entries((value ?? {}) as Row)
    .map(([name, text]) => `${name} = ${String(text)}`)
    .join('\n');
}

function pairsOf(text: string): Row {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...rest] = line.split('=');
      return [name.trim(), rest.join('=').trim()];
    }),
  );
}
