import type { Code, FormField, KindForm, Row } from './form';
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

/** Do the code, its Chinese or its English name have the text? */
export function matchesSearch({ code, zh, en }: Code, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [code, zh, en].some((text) => text.toLowerCase().includes(wanted));
}

/** 'pH value' has 'pH', 'phase' has not; Chinese has no spaces. */
function hasWord(text: string, word: string): boolean {
  if (word === '') return false;
  if (!/^[ -~]+$/.test(word)) return text.includes(word);
  const escaped = word.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return new RegExp(`(?:^|[^a-z])${escaped}(?:$|[^a-z])`).test(text);
}

/** Without what is in brackets (also wide ones), and without the Chinese word for 'value' at the end. */
const plain = (name: string): string =>
  name
    .replace(/[\uFF08(].*$/, '')
    .replace(/\u503C$/, '')
    .trim()
    .toLowerCase();

/** The code that a point's title names; of several the longest name, then the one with its unit. '' for none. */
export function suggestedCode({ name, title, unit }: PointChoice, codes: readonly Code[]): string {
  const text = `${title} ${name.split('.')[1] ?? ''}`.toLowerCase();
  const ranked = codes
    .map((code) => ({
      code: code.code,
      length: Math.max(
        ...[code.code.toLowerCase(), plain(code.zh), plain(code.en)].map((word) =>
          hasWord(text, word) ? word.length : 0,
        ),
      ),
      fits: (code.units ?? []).some((each) => each !== '' && each.toLowerCase() === unit.toLowerCase()) ? 1 : 0,
    }))
    .filter(({ length }) => length > 0)
    .toSorted((a, b) => b.length - a.length || b.fits - a.fits);
  return ranked[0]?.code ?? '';
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
