import type { Fields } from '@/components/points/point';
import { formatValue } from '@/lib/numbers';
import type { PointValue } from '@/lib/quality';

const isValue = (value: unknown): value is PointValue => value === null || ['number', 'string', 'boolean'].includes(typeof value);

/** A value read now, as the live view shows one of this point. */
export function readingText(value: unknown, fields: Fields, words: { on: string; off: string }): string {
  if (value === undefined || !isValue(value)) return '–';
  const field = (name: string): PointValue => (isValue(fields[name]) ? fields[name] : null);
  const decimals = typeof fields.tofixed === 'number' ? fields.tofixed : null;
  return formatValue(value, { decimals, on_value: field('on_value'), off_value: field('off_value'), ds_type: String(fields.ds_type ?? 'num') }, words);
}
