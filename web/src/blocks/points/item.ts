import type { ProtocolForm } from '@/api/generated/types.gen';
import { withField } from './point';
import type { Point } from './point';

type Item = ProtocolForm['items'][string];

/** What a meter's item decides: a number comes as it is printed, digits are a text, a relay is a switch. */
export function itemTypes({ kind }: Item): { ds_type: string; data_type: string } {
  if (kind === 'digits') return { ds_type: 'str', data_type: 'string' };
  return { ds_type: kind === 'relay' ? 'swh' : 'num', data_type: 'double' };
}

/** A point with the item, and with its title, unit, decimals and types. What somebody has entered otherwise stays. */
export function withItem(point: Point, name: string, items: ProtocolForm['items'], language: string): Point {
  if (name === point.fields.item) return point;
  const before = items[String(point.fields.item ?? '')];
  const item = items[name];
  const chosen = withField(point, 'item', name === '' ? undefined : name);
  if (item === undefined) return chosen;
  const follows = (field: string, was: unknown): boolean => {
    const value = point.fields[field];
    return value === undefined || value === '' || value === was;
  };
  let made = chosen;
  const title = point.fields.ds_title;
  if (follows('ds_title', before?.zh) || title === before?.en)
    made = withField(made, 'ds_title', language.startsWith('zh') ? item.zh : item.en);
  if (follows('unit', before?.unit)) made = withField(made, 'unit', item.unit === '' ? undefined : item.unit);
  if (follows('tofixed', before?.decimals))
    made = withField(made, 'tofixed', item.kind === 'bcd' ? item.decimals : undefined);
  for (const [field, value] of Object.entries(itemTypes(item))) made = withField(made, field, value);
  return made;
}
