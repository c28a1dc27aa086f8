import type { ProtocolForm } from '@/api/generated/types.gen';
import { ALL_TYPES } from './addressRules';
import { addressField } from './facts';
import { ALARM_CODES } from './alarmRules';
import type { Cell, Fields } from './point';

/** How the two numbers of a location lie in the device. */
export const COORDINATES = ['lat_lon', 'lon_lat', 'lat_lon_minutes', 'lon_lat_minutes'];
const NUMBERS = [
  'ratio',
  'bias',
  'min',
  'max',
  'deadband',
  'alarm_lower',
  'alarm_upper',
  'alarm_lower2',
  'alarm_upper2',
  'alarm_deadband',
];
const WHOLES = [
  'tofixed',
  'capture_freq',
  'collect_delay_ms',
  'alarm_state',
  'alarm_delay_s',
  'alarm_off_delay_s',
  'db_num',
  'bit_offset',
  'regslength',
  'item_decimals',
];
const SWITCHES = ['alarm_enable', 'gis_show', 'item_signed'];
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  ds_type: ['num', 'str', 'swh', 'loc', 'cal'],
  rw: ['readonly', 'writeonly', 'readwrite'],
  data_type: ALL_TYPES,
  collect_mode: ['cycle', 'on_demand'],
  priority: ['alarm', 'trend', 'counter'],
  alarm_mode: ['single', 'multi'],
  coordinates: COORDINATES,
};
const RECORDS = ['0', '1', '2'];
const COLOUR = /^#[0-9a-f]{6}$/i;

/** With these the cloud does not keep a point; everything else a draft may hold until it is deployed. */
const NEVER_SAVED = new Set(['number', 'whole', 'choice', 'selector', 'color', 'point_name', 'twice']);

export function isNeverSaved({ field, code, level }: Cell): boolean {
  if (level === 'warning') return false;
  if (field.startsWith('alarm_') && ALARM_CODES.has(code)) return true;
  return NEVER_SAVED.has(code) || (field === 'ds_name' && code === 'required');
}

/** Fields that hold a text where something else belongs: pasted texts stay in their cells until they are mended. */
export function wrongKinds(row: Fields, form?: ProtocolForm): Cell[] {
  const cells: Cell[] = [];
  const isText = (field: string): boolean => typeof row[field] === 'string';
  const wholes = (form?.address ?? []).filter(({ kind }) => kind === 'integer').map(({ name }) => addressField(name));
  for (const [field, choices] of Object.entries(CHOICES)) {
    const value = row[field];
    if (value !== undefined && value !== null && !choices.includes(String(value))) cells.push(notOne(field, choices));
  }
  if (isText('record') && !RECORDS.includes(row.record as string)) cells.push(notOne('record', RECORDS));
  for (const field of SWITCHES) if (isText(field)) cells.push(notOne(field, ['1', '0']));
  for (const field of NUMBERS) if (isText(field)) cells.push({ field, code: 'number' });
  for (const field of new Set([...WHOLES, ...wholes])) if (isText(field)) cells.push({ field, code: 'whole' });
  if (isText('selector')) cells.push({ field: 'selector', code: 'selector' });
  if (isText('line_color') && !COLOUR.test(row.line_color as string))
    cells.push({ field: 'line_color', code: 'color' });
  return cells;
}

function notOne(field: string, choices: readonly string[]): Cell {
  return { field, code: 'choice', args: { choices: choices.join(', ') } };
}
