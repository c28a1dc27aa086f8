import { placeOf, placeText } from './place';
import type { PointValue } from './quality';

export interface ValueFormat {
  decimals: number | null;
  on_value: PointValue;
  off_value: PointValue;
  ds_type: string;
}

/** Word of a switch's value: 'on', 'off', or null when the value is neither. */
export function switchWord(value: PointValue, format: ValueFormat): 'on' | 'off' | null {
  if (format.ds_type !== 'swh' && typeof value !== 'boolean') return null;
  const same = (a: PointValue, b: PointValue): boolean => b !== null && a !== null && Number(a) === Number(b);
  if (value === true || same(value, format.on_value ?? 1)) return 'on';
  if (value === false || same(value, format.off_value ?? 0)) return 'off';
  return null;
}

/** A number with the point's decimals; without them at most six significant digits, never an exponent below 1e12. */
export function formatNumber(value: number, decimals: number | null): string {
  if (!Number.isFinite(value)) return '–';
  if (decimals !== null) return value.toFixed(decimals).replace(/^-(0(?:\.0*)?)$/, '$1');
  if (Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(Math.max(6, Math.trunc(Math.abs(value)).toString().length + 2))));
}

/** Text of a value without its unit; switches are shown by their word. */
export function formatValue(value: PointValue, format: ValueFormat, words: { on: string; off: string }): string {
  if (value === null) return '–';
  const place = format.ds_type === 'loc' ? placeOf(value) : null;
  if (place !== null) return placeText(place);
  const word = switchWord(value, format);
  if (word !== null) return words[word];
  return typeof value === 'number' ? formatNumber(value, format.decimals) : String(value);
}
