import type { Fields } from '@/blocks/points/point';
import { formatValue } from '@/lib/numbers';
import type { SwitchWords, ValueFormat } from '@/lib/numbers';
import type { PointValue } from '@/lib/quality';

const isValue = (value: unknown): value is PointValue =>
  value === null || ['number', 'string', 'boolean'].includes(typeof value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A value read now, as the live view shows one of this point. */
export function readingText(value: unknown, fields: Fields, words: SwitchWords): string {
  if (value === undefined || !isValue(value)) return '–';
  const { tofixed, selector } = fields;
  const format: ValueFormat = {
    ds_type: text(fields.ds_type) || 'num',
    decimals: typeof tofixed === 'number' ? tofixed : null,
    selector: typeof selector === 'object' ? (selector as ValueFormat['selector']) : null,
    on_text: text(fields.on_text),
    off_text: text(fields.off_text),
  };
  return formatValue(value, format, words);
}
