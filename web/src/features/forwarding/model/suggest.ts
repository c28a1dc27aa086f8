import type { Code, FormField, KindForm, Row } from './form';
import { dimensionOf, plainUnit } from './units';
import { newRow, OPTION } from './values';
import type { Values } from './values';

/** A point of the gateway. name: "slave.point". */
export interface PointChoice {
  name: string;
  title: string;
  unit: string;
}

/** The codes for what the form has chosen. */
export function codesOf(form: KindForm | undefined, values: Values): readonly Code[] {
  const codes = form?.codes ?? null;
  return codes === null ? [] : (codes.entries[String(values[OPTION + codes.by])] ?? []);
}

/** Do the code or one of its names have the text? */
export function matchesSearch({ code, zh, en, also = [] }: Code, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [code, zh, en, ...also].some((text) => text.toLowerCase().includes(wanted));
}

/** 'pH value' and 'COD2' have 'pH' and 'COD', 'phase' has not, and no 'SO2' or 'O25' has 'O2'; Chinese has no spaces. */
function hasWord(text: string, word: string): boolean {
  if (!/[^\d]/.test(word)) return false; // in a title a number is one
  if (!/^[ -~]+$/.test(word)) return text.includes(word);
  const escaped = word.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return new RegExp(`(?:^|[^a-z])${escaped}(?:$|[^a-z${/\d$/.test(word) ? String.raw`\d` : ''}])`).test(text);
}

/** Without what is in brackets (also wide ones), and without the Chinese word for 'value' at the end. */
const plain = (name: string): string =>
  name
    .replace(/[\uFF08(].*$/, '')
    .replace(/\u503C$/, '')
    .trim()
    .toLowerCase();

/** How well a code's units go with that of a point: 2 the same, 1 of the same kind, 0 nobody knows; null for another kind. */
function fitOf(units: readonly string[], unit: string): number | null {
  if (unit !== '' && units.some((each) => plainUnit(each) === plainUnit(unit))) return 2;
  const dimension = dimensionOf(unit);
  const known = units.map(dimensionOf).filter((each) => each !== null);
  if (dimension === null || known.length === 0) return 0;
  return known.includes(dimension) ? 1 : null;
}

/**
 * The code that a point's title names, by any name or abbreviation; of several the longest name, then the one with its unit.
 * '' for none, and for several that go as well.
 */
export function suggestedCode({ name, title, unit }: PointChoice, codes: readonly Code[]): string {
  const text = `${title} ${name.split('.')[1] ?? ''} ${unit}`.toLowerCase();
  const [first, second] = codes
    .map(({ code, zh, en, units = [], also = [] }) => ({
      code,
      length: Math.max(
        ...[code.toLowerCase(), plain(zh), plain(en), ...also.map(plain)].map((word) =>
          hasWord(text, word) ? word.length : 0,
        ),
      ),
      fit: fitOf(units, unit),
    }))
    .filter(({ length, fit }) => length > 0 && fit !== null)
    .toSorted((a, b) => b.length - a.length || (b.fit ?? 0) - (a.fit ?? 0));
  const isOpen = first?.length === second?.length && first?.fit === second?.fit;
  return first === undefined || isOpen ? '' : first.code;
}

/** Rows for points that are not in the list yet, each with what can be proposed. */
export function rowsFor(
  field: FormField,
  rows: readonly Row[],
  points: readonly PointChoice[],
  codes: readonly Code[],
): readonly Row[] {
  const pointColumn = field.columns?.find(({ picker, more }) => picker === 'point' && more !== true)?.name ?? '';
  const there = new Set(rows.map((row) => row[pointColumn]));
  return points
    .filter(({ name }) => !there.has(name))
    .map((point) => newRow(field, { [pointColumn]: point.name, ...proposed(field, point, codes) }));
}

/** What a chosen point proposes for the other columns of its row. */
export function proposed(field: FormField, point: PointChoice, codes: readonly Code[]): Row {
  const made: Record<string, unknown> = {};
  for (const { name, picker, suggest } of field.columns ?? []) {
    if (picker === 'code') made[name] = suggestedCode(point, codes);
    if (suggest === 'point_name') made[name] = point.name.split('.')[1] ?? '';
  }
  return made;
}
