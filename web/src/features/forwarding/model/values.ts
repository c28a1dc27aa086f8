import { COMMON, formOf } from './form';
import type { FormField, Row } from './form';

/** Values of a form: common fields by name, options behind OPTION. */
export type Values = Record<string, unknown>;

export const OPTION = 'option_';
export const MASK = '******';

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const isNothing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** What an input shows of a field of a document; what is not there has its default. */
function inputValue(field: FormField, value: unknown): unknown {
  const given = value === undefined ? field.default : value;
  if (field.kind === 'rows')
    return (Array.isArray(given) ? given : []).map((row: Row) => ({ ...row, ...rowValues(field, row) }));
  if (field.kind === 'switch') return given === true;
  if (field.kind === 'pairs') return pairsText(given);
  if (field.kind === 'texts' || field.kind === 'choices') return Array.isArray(given) ? given : [];
  return given ?? '';
}

const rowValues = (field: FormField, row: Row): Row =>
  Object.fromEntries((field.columns ?? []).map((column) => [column.name, inputValue(column, row[column.name])]));

/** A row of a list with the defaults of its columns and what is given. */
export const newRow = (field: FormField, given: Row): Row => rowValues(field, given);

/** What a form begins with. */
export function valuesOf(kind: string, fields: Row): Values {
  const options = (fields.options ?? {}) as Row;
  return {
    ...Object.fromEntries(COMMON.map((field) => [field.name, inputValue(field, fields[field.name])])),
    ...Object.fromEntries(
      (formOf(kind)?.fields ?? []).map((field) => [OPTION + field.name, inputValue(field, options[field.name])]),
    ),
  };
}

/** A value as the document has it; undefined for nothing, and for the default. */
function documentValue(field: FormField, value: unknown): unknown {
  const made =
    field.kind === 'rows'
      ? (value as readonly Row[]).map((row) => documentRow(field, row))
      : field.kind === 'pairs'
        ? pairsOf(String(value))
        : field.kind === 'integer' || field.kind === 'number'
          ? value === ''
            ? undefined
            : Number(value)
          : value;
  const isLeftOut = isNothing(made) || (Array.isArray(made) && made.length === 0 && isNothing(field.default));
  return isLeftOut || isSame(made, field.default) ? undefined : made;
}

function documentRow(field: FormField, row: Row): Row {
  const known = new Map((field.columns ?? []).map((column) => [column.name, column]));
  return withoutNothing(
    Object.entries(row).map(([name, value]) => {
      const column = known.get(name);
      return [name, column === undefined ? value : documentValue(column, value)];
    }),
  );
}

const withoutNothing = (entries: readonly (readonly [string, unknown])[]): Row =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined));

/** The target as its document is to have it. before: its fields until now; what no form knows of it stays. */
export function fieldsOf(kind: string, values: Values, before: Row): Row {
  const known = formOf(kind)?.fields ?? [];
  const options = withoutNothing([
    ...Object.entries((before.options ?? {}) as Row).filter(([name]) => known.every((field) => field.name !== name)),
    ...known.map((field): [string, unknown] => [field.name, documentValue(field, values[OPTION + field.name])]),
  ]);
  const common = withoutNothing(COMMON.map((field) => [field.name, documentValue(field, values[field.name])]));
  return { ...common, kind, options };
}

/** Lines of "value = text". */
export function pairsText(pairs: unknown): string {
  return Object.entries((pairs ?? {}) as Record<string, string>)
    .map(([name, text]) => `${name} = ${text}`)
    .join('\n');
}

/** Lines without '=' have an empty text, which the gateway refuses. */
export function pairsOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...rest] = line.split('=');
      return [name.trim(), rest.join('=').trim()];
    }),
  );
}

/** Where the form has a field of the gateway's or the cloud's faults; null for one that it has not. */
export function placeOf(path: string, values: Values): string | null {
  const inside = path.replace(/^(?:body\.)?(?:(?:document\.)?forwarders\[\d+\]|forwarder\b)\.?/, '');
  const key = inside.replace(/^options\.?/, OPTION).replaceAll(/\[(\d+)\]/g, '.$1');
  const [first = '', at, column] = key.split('.');
  if (!(first in values)) return null;
  return at !== undefined && column !== undefined && /^\d+$/.test(at) ? `${first}.${at}.${column}` : first;
}
