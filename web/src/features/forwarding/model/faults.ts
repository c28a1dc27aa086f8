import type { FormField, Row } from './form';
import { COMMON, formOf } from './form';
import { MASK, OPTION } from './values';
import type { Values } from './values';

/** A rule of a field's description that a value breaks: a key of the words, with what stands in them. */
export interface Broken {
  rule: 'required' | 'range' | 'tooLong' | 'pattern' | 'items' | 'twice';
  args: Record<string, string | number>;
}

const NAME = '^[A-Za-z0-9_-]{1,64}$';

/** What the description says of a value by itself; the gateway judges the rest. */
export function brokenBy(field: FormField, value: unknown): Broken | null {
  const isEmpty = value === '' || (Array.isArray(value) && value.length === 0);
  if (isEmpty) {
    const isNeeded = field.required || (field.min_items ?? 0) > 0;
    return isNeeded ? { rule: 'required', args: {} } : null;
  }
  if (field.kind === 'integer' || field.kind === 'number') return numberBroken(field, value);
  if (Array.isArray(value) && value.length > (field.max_items ?? Infinity))
    return { rule: 'items', args: { max: field.max_items ?? 0 } };
  if (field.kind !== 'text' || value === MASK) return null;
  const text = String(value);
  if (text.length > (field.max_length ?? Infinity)) return { rule: 'tooLong', args: { max: field.max_length ?? 0 } };
  const pattern = field.name === 'name' ? (field.pattern ?? NAME) : field.pattern;
  return pattern !== undefined && !new RegExp(pattern).test(text) ? { rule: 'pattern', args: {} } : null;
}

function numberBroken(field: FormField, value: unknown): Broken | null {
  const number = Number(value);
  const { min = -Infinity, max = Infinity } = field;
  const isWrong = !Number.isFinite(number) || (field.kind === 'integer' && !Number.isInteger(number));
  return isWrong || number < min || number > max ? { rule: 'range', args: { min, max } } : null;
}

/** Faults of a form by the places of its inputs. */
export function brokenIn(kind: string, values: Values): Readonly<Record<string, Broken>> {
  const broken: Record<string, Broken> = {};
  const check = (field: FormField, place: string): void => {
    const value = values[place];
    const fault = brokenBy(field, value);
    if (fault !== null) broken[place] = fault;
    if (field.kind === 'rows') Object.assign(broken, brokenRows(field, value as readonly Row[], place));
  };
  for (const field of COMMON) check(field, field.name);
  for (const field of formOf(kind)?.fields ?? []) check(field, OPTION + field.name);
  return broken;
}

function brokenRows(field: FormField, rows: readonly Row[], place: string): Record<string, Broken> {
  const broken: Record<string, Broken> = {};
  const seen = new Map<string, number>();
  rows.forEach((row, at) => {
    for (const column of field.columns ?? []) {
      const fault = brokenBy(column, row[column.name]);
      if (fault !== null) broken[`${place}.${at}.${column.name}`] = fault;
    }
    const [first = ''] = field.unique ?? [];
    if (first === '' || row[first] === '') return;
    const key = JSON.stringify((field.unique ?? []).map((name) => row[name]));
    const other = seen.get(key);
    if (other === undefined) seen.set(key, at);
    else broken[`${place}.${at}.${first}`] = { rule: 'twice', args: { row: other + 1 } };
  });
  return broken;
}
