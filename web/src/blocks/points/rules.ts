import type { ProtocolForm } from '@/api/generated/types.gen';
import { alarmFaults } from './alarmRules';
import { makeAddressValidator, makeOverlaps, PAIRS } from './addressRules';
import { wrongKinds } from './kinds';
import type { Cell, Fields, Point } from './point';
import { descriptionOf } from './protocols';

/** The slave whose points are judged; form: of its protocol, undefined for one that is not known. */
export interface ValidationInput {
  form: ProtocolForm | undefined;
  options: Fields;
}

const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  tofixed: [0, 9],
  capture_freq: [1, 100_000],
  collect_delay_ms: [0, 86_400_000],
  record: [0, 2],
};
const NAME = /^\w{1,64}$/;
const NOT_CALCULATED = ['regtype', 'area', 'addroffset', 'item', 'di'];

const number = (row: Fields, name: string): number | null => (typeof row[name] === 'number' ? row[name] : null);

/** Faults of each row, in their order. Rows that did not change are not judged again. */
export function makeValidator(input: ValidationInput): (points: readonly Point[]) => readonly (readonly Cell[])[] {
  const known = new WeakMap<Fields, readonly Cell[]>();
  const validateAddress = input.form === undefined ? null : makeAddressValidator(input.form, input.options);
  const overlaps = makeOverlaps(input.form);
  return (points) => {
    const counts = new Map<string, number>();
    for (const { fields } of points)
      counts.set(String(fields.ds_name ?? ''), (counts.get(String(fields.ds_name ?? '')) ?? 0) + 1);
    const results = points.map(({ fields }) => {
      let cells = known.get(fields);
      if (cells === undefined) {
        cells = faultsOf(fields, input.form, validateAddress);
        known.set(fields, cells);
      }
      return (counts.get(String(fields.ds_name ?? '')) ?? 0) > 1
        ? [...cells, { field: 'ds_name', code: 'twice' }]
        : cells;
    });
    for (const [at, other] of overlaps(points.map(({ fields }) => fields))) {
      const args = { other: String(points[other]?.fields.ds_name ?? '') };
      results[at] = [...(results[at] ?? []), { field: 'addroffset', code: 'overlap', args, level: 'warning' }];
    }
    return results;
  };
}

export function pointFaults(row: Fields, { form, options }: ValidationInput): Cell[] {
  return faultsOf(row, form, form === undefined ? null : makeAddressValidator(form, options));
}

function faultsOf(
  row: Fields,
  form: ValidationInput['form'],
  validateAddress: ((row: Fields) => Cell[]) | null,
): Cell[] {
  const cells: Cell[] = [];
  const kind = String(row.ds_type ?? 'num');
  const name = String(row.ds_name ?? '');
  if (name === '') cells.push({ field: 'ds_name', code: 'required' });
  else if (!NAME.test(name)) cells.push({ field: 'ds_name', code: 'point_name' });
  cells.push(...wrongKinds(row, form));
  if (kind !== 'loc' && (kind === 'str') !== (row.data_type === 'string'))
    cells.push({ field: 'data_type', code: 'string_type' });
  for (const [field, [min, max]] of Object.entries(RANGES)) {
    const value = number(row, field);
    if (value !== null && (value < min || value > max)) cells.push({ field, code: 'range', args: { min, max } });
  }
  if (row.ratio === 0) cells.push({ field: 'ratio', code: 'zero' });
  const deadband = number(row, 'deadband') ?? 0;
  if (deadband < 0) cells.push({ field: 'deadband', code: 'negative' });
  else if (deadband > 0 && (kind === 'str' || kind === 'swh')) cells.push({ field: 'deadband', code: 'no_deadband' });
  const [min, max] = [number(row, 'min'), number(row, 'max')];
  if (min !== null && max !== null && min > max) cells.push({ field: 'min', code: 'above_max' });
  if (row.on_value !== undefined && row.on_value === row.off_value)
    cells.push({ field: 'on_value', code: 'same_value' });
  cells.push(...positionFaults(row, kind));
  cells.push(...alarmFaults(row));
  if (isFilled(row.selector) && kind !== 'num') cells.push({ field: 'selector', code: 'only_numeric' });
  if (kind === 'cal') {
    calculated(row, cells);
    return cells;
  }
  if (kind === 'loc') location(row, form?.name, cells);
  else if (row.coordinates !== undefined) cells.push({ field: 'coordinates', code: 'only_location' });
  for (const field of ['formula', 'script']) {
    if (row[field]) cells.push({ field, code: 'only_calculated' });
  }
  if (validateAddress !== null) cells.push(...validateAddress(row));
  return cells;
}

function positionFaults(row: Fields, kind: string): Cell[] {
  const cells: Cell[] = [];
  for (const field of ['on_value', 'off_value'])
    if (kind === 'swh' && typeof row[field] === 'string') cells.push({ field, code: 'number', level: 'warning' });
  for (const field of ['on_text', 'off_text'])
    if (row[field] && kind !== 'swh' && kind !== 'cal') cells.push({ field, code: 'only_switch' });
  if (row.on_text && row.on_text === row.off_text) cells.push({ field: 'on_text', code: 'same_text' });
  return cells;
}

function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function location(row: Fields, protocol: string | undefined, cells: Cell[]): void {
  if ((row.rw ?? 'readonly') !== 'readonly') cells.push({ field: 'rw', code: 'read_only' });
  const type = String(row.data_type ?? 'uint16');
  if (type === 'string') return;
  if (!PAIRS.includes(type))
    cells.push({ field: 'data_type', code: 'location_type', args: { types: ['string', ...PAIRS].join(', ') } });
  else if (protocol !== undefined && descriptionOf(protocol)?.reads_pairs !== true)
    cells.push({ field: 'data_type', code: 'location_text', args: { protocol } });
}

function calculated(row: Fields, cells: Cell[]): void {
  if ((row.rw ?? 'readonly') !== 'readonly') cells.push({ field: 'rw', code: 'read_only' });
  if (!row.formula && !row.script) cells.push({ field: 'formula', code: 'required' });
  if (row.formula && row.script) cells.push({ field: 'formula', code: 'formula_or_script' });
  for (const field of NOT_CALCULATED) {
    if (row[field] !== undefined) cells.push({ field, code: 'not_calculated' });
  }
}
