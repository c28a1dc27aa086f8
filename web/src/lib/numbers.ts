import { placeOf, placeText } from './place';
import type { PointValue } from './quality';

/** What of a data point says how its values are shown. */
export interface ValueFormat {
  ds_type: string;
  data_type?: string;
  decimals?: number | null;
  /** Names of the values that a number can have. */
  selector?: Readonly<Record<string, string>> | null;
  /** What the positions of a switch are called; empty: as the language calls them. */
  on_text?: string;
  off_text?: string;
}

/** The language's words for the positions of a switch. */
export interface SwitchWords {
  on: string;
  off: string;
}

/** Has a point two positions? A calculated one may give them without saying so before. */
export function isSwitch({ ds_type, data_type, on_text = '', off_text = '' }: ValueFormat): boolean {
  return ds_type === 'swh' || data_type === 'bool' || on_text !== '' || off_text !== '';
}

/** Position of a switch; null for what is none. Charts hold it as 1 and 0. */
export function positionOf(value: PointValue, format: ValueFormat): boolean | null {
  if (typeof value === 'boolean') return value;
  return isSwitch(format) && (value === 0 || value === 1) ? value === 1 : null;
}

/** What a position is called. */
export function positionText(
  position: boolean,
  { on_text = '', off_text = '' }: ValueFormat,
  words: SwitchWords,
): string {
  return position ? on_text || words.on : off_text || words.off;
}

/** Values that a point may have, with their names, in the order of the values; empty where any may be. */
export function choicesOf({ selector }: ValueFormat): { value: number; name: string }[] {
  return Object.entries(selector ?? {})
    .map(([value, name]) => ({ value: Number(value), name }))
    .toSorted((a, b) => a.value - b.value);
}

/** A number with the point's decimals; without them at most six significant digits, never an exponent below 1e12. */
export function formatNumber(value: number, decimals: number | null): string {
  if (!Number.isFinite(value)) return '–';
  if (decimals !== null) return value.toFixed(decimals).replace(/^-(0(?:\.0*)?)$/, '$1');
  if (Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(Math.max(6, Math.trunc(Math.abs(value)).toString().length + 2))));
}

/** The name of a position or of a selector's value; null for a value that has none. */
export function nameOf(value: PointValue, format: ValueFormat, words: SwitchWords): string | null {
  const position = positionOf(value, format);
  if (position !== null) return positionText(position, format, words);
  const { selector } = format;
  if (typeof value !== 'number' || selector === null || selector === undefined) return null;
  return selector[String(value)] ?? choicesOf(format).find((each) => each.value === value)?.name ?? null;
}

/** Text of a value without its unit; what has a name is shown by it, a location as a person reads it. */
export function formatValue(value: PointValue, format: ValueFormat, words: SwitchWords): string {
  if (value === null) return '–';
  const place = format.ds_type === 'loc' ? placeOf(value) : null;
  if (place !== null) return placeText(place);
  return (
    nameOf(value, format, words) ??
    (typeof value === 'number' ? formatNumber(value, format.decimals ?? null) : String(value))
  );
}
