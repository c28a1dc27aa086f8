import type { Area, FormField, ProtocolForm } from '@/api/generated/types.gen';
import type { Cell, Fields } from './point';

/** Fields of an address by their names in a protocol's form. */
export const ADDRESS_FIELDS: Readonly<Record<string, string>> = {
  reg_type: 'regtype',
  area: 'area',
  db: 'db_num',
  offset: 'addroffset',
  bit: 'bit_offset',
  byte: 'byte',
  length: 'regslength',
  endian: 'endian',
  text: 'text',
  item: 'item',
  di: 'di',
  decimals: 'item_decimals',
  signed: 'item_signed',
};

const BITS: Readonly<Record<string, number>> = {
  uint8: 8,
  int8: 8,
  uint16: 16,
  int16: 16,
  uint32: 32,
  int32: 32,
  uint64: 64,
  int64: 64,
};
const REGISTERS: Readonly<Record<string, number>> = {
  uint8: 1,
  int8: 1,
  uint16: 1,
  int16: 1,
  uint32: 2,
  int32: 2,
  float: 2,
  uint64: 4,
  int64: 4,
  double: 4,
};
/** Data types of which two, one behind the other, are a location. */
export const PAIRS = ['int32', 'uint32', 'int64', 'uint64', 'float', 'double'];
const LONGEST_VAR = 4;
const ADDRESSES = 65_536;
const FRACTIONS = new Set(['float', 'double', 'string']);
const MISSING_TYPES: Readonly<Record<string, readonly string[]>> = {
  ppi: ['var', 'string'],
  s7: ['var'],
  fx: ['var'],
  mc_1e: ['var'],
  mc_3e: ['var'],
};

export const ALL_TYPES = [
  'uint8',
  'int8',
  'uint16',
  'int16',
  'uint32',
  'int32',
  'uint64',
  'int64',
  'float',
  'double',
  'var',
  'string',
];

/** Data types that a protocol offers. */
export function typesOf(protocol: string): string[] {
  return ALL_TYPES.filter((type) => MISSING_TYPES[protocol]?.includes(type) !== true);
}

const has = (row: Fields, name: string): boolean => row[name] !== undefined && row[name] !== null;
const word = (row: Fields, name: string, fallback = ''): string =>
  typeof row[name] === 'string' ? row[name] : fallback;
const whole = (row: Fields, name: string): number | null =>
  Number.isInteger(row[name]) ? (row[name] as number) : null;
const dataType = (row: Fields): string => word(row, 'data_type', 'uint16');
const isReadOnly = (row: Fields): boolean => word(row, 'rw', 'readonly') === 'readonly';

/** Faults of a point's address; the same rules as the cloud's, whose cases test both. */
export function addressFaults(row: Fields, form: ProtocolForm, options: Fields): Cell[] {
  const type = dataType(row);
  if (MISSING_TYPES[form.name]?.includes(type) === true) {
    return [
      {
        field: 'data_type',
        code: 'type_of_protocol',
        args: { protocol: form.name },
        level: form.name === 'ppi' && type === 'string' ? 'warning' : 'error',
      },
    ];
  }
  const cells = wanted(row, form);
  if (form.name.startsWith('modbus')) modbus(row, options.one_based === true, cells);
  else if (Object.keys(form.items).length > 0) meter(row, form, cells);
  else if (Object.keys(form.areas).length > 0) plc(row, form, String(options.model ?? ''), cells);
  return cells;
}

function wanted(row: Fields, form: ProtocolForm): Cell[] {
  const cells: Cell[] = [];
  const known = new Set<string>();
  for (const field of form.address) {
    const name = ADDRESS_FIELDS[field.name];
    if (name === undefined) continue;
    known.add(name);
    formed(row, name, field, cells);
  }
  for (const name of Object.values(ADDRESS_FIELDS)) {
    if (!known.has(name) && has(row, name))
      cells.push({ field: name, code: 'not_of_protocol', args: { protocol: form.name } });
  }
  return cells;
}

function formed(row: Fields, name: string, field: FormField, cells: Cell[]): void {
  const value = row[name];
  if (value === undefined || value === null || value === '') {
    if (field.required) cells.push({ field: name, code: 'required' });
  } else if (field.kind === 'choice' && name !== 'area') {
    if (field.choices?.includes(String(value)) !== true)
      cells.push({ field: name, code: 'choice', args: { choices: (field.choices ?? []).join(', ') } });
  } else if (
    field.kind === 'integer' &&
    typeof value === 'number' &&
    typeof field.min === 'number' &&
    typeof field.max === 'number'
  ) {
    if (value < field.min || value > field.max)
      cells.push({ field: name, code: 'range', args: { min: field.min, max: field.max } });
  }
}

function modbus(row: Fields, oneBased: boolean, cells: Cell[]): void {
  const kind = word(row, 'regtype');
  const offset = whole(row, 'addroffset');
  if ((kind === '1X' || kind === '3X') && !isReadOnly(row))
    cells.push({ field: 'rw', code: 'area_read_only', args: { area: kind } });
  if (isPair(row) && (kind === '0X' || kind === '1X' || has(row, 'bit_offset')))
    cells.push({ field: 'regtype', code: 'location_area' });
  else if (kind === '0X' || kind === '1X') coils(row, cells);
  else if (kind !== '') registers(row, cells);
  if (offset === 0 && oneBased) cells.push({ field: 'addroffset', code: 'range', args: { min: 1, max: ADDRESSES } });
  else if (offset !== null && offset - Number(oneBased) + width(row) > ADDRESSES)
    cells.push({ field: 'addroffset', code: 'address_end', args: { most: ADDRESSES } });
}

function coils(row: Fields, cells: Cell[]): void {
  const type = dataType(row);
  if (BITS[type] === undefined || has(row, 'bit_offset') || has(row, 'byte'))
    cells.push({ field: 'regtype', code: 'single_bits' });
  const length = whole(row, 'regslength') ?? 1;
  if (length > 1 && (!type.startsWith('u') || length > (BITS[type] ?? 0)))
    cells.push({ field: 'regslength', code: 'bits_type' });
}

function registers(row: Fields, cells: Cell[]): void {
  const type = dataType(row);
  const length = whole(row, 'regslength');
  const isSized = type === 'string' || type === 'var';
  if (isSized && length === null) cells.push({ field: 'regslength', code: 'length_needed' });
  else if (!isSized && length !== null) cells.push({ field: 'regslength', code: 'length_excess' });
  else if (type === 'var' && (length ?? 0) > LONGEST_VAR)
    cells.push({ field: 'regslength', code: 'range', args: { min: 1, max: LONGEST_VAR } });
  if (has(row, 'byte') && !['uint8', 'int8', 'string'].includes(type)) cells.push({ field: 'byte', code: 'byte_type' });
  const bit = whole(row, 'bit_offset');
  const bits = BITS[type];
  if (bit !== null && bits === undefined) cells.push({ field: 'bit_offset', code: 'bit_type' });
  else if (bit !== null && bits !== undefined && bit >= bits)
    cells.push({ field: 'bit_offset', code: 'range', args: { min: 0, max: bits - 1 } });
}

/** Modbus addresses that a point takes: bits in 0X and 1X, registers in 3X and 4X. */
function width(row: Fields): number {
  const length = whole(row, 'regslength');
  if (length !== null && length > 0) return length;
  const one = ['0X', '1X'].includes(word(row, 'regtype')) ? 1 : (REGISTERS[dataType(row)] ?? 1);
  return isPair(row) ? 2 * one : one;
}

/** A location that lies in the device as two numbers. */
function isPair(row: Fields): boolean {
  return word(row, 'ds_type', 'num') === 'loc' && dataType(row) !== 'string';
}

/** Places of points that share registers without being exactly the same, each with that of another. */
export function overlaps(rows: readonly Fields[], protocol: string): (readonly [number, number])[] {
  if (!protocol.startsWith('modbus')) return [];
  const spans = new Map<string, [number, number, number][]>();
  rows.forEach((row, at) => {
    const offset = whole(row, 'addroffset');
    const kind = word(row, 'regtype');
    if (offset === null || kind === '' || word(row, 'ds_type', 'num') === 'cal') return;
    const list = spans.get(kind) ?? [];
    list.push([offset, offset + width(row), at]);
    spans.set(kind, list);
  });
  const found: [number, number][] = [];
  for (const list of spans.values()) {
    list.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    let end = -1;
    let last: [number, number, number] = [-1, -1, -1];
    for (const span of list) {
      if (span[0] < end && (span[0] !== last[0] || span[1] !== last[1])) found.push([span[2], last[2]]);
      if (span[1] > end) [end, last] = [span[1], span];
    }
  }
  return found;
}

function meter(row: Fields, form: ProtocolForm, cells: Cell[]): void {
  const item = word(row, 'item');
  if ((item === '') === (word(row, 'di') === '')) cells.push({ field: 'item', code: 'item_or_di' });
  else if (item !== '' && form.items[item] === undefined) cells.push({ field: 'item', code: 'unknown_item' });
  else if (item !== '' && !isReadOnly(row) && form.items[item]?.writable === false)
    cells.push({ field: 'rw', code: 'area_read_only', args: { area: item } });
}

/** Memory areas of a slave's model. */
export function areasOf(form: ProtocolForm, model: string): Readonly<Record<string, Area>> {
  return form.areas[model] ?? form.areas[''] ?? {};
}

function plc(row: Fields, form: ProtocolForm, model: string, cells: Cell[]): void {
  const name = word(row, 'area');
  const areas = areasOf(form, model);
  if (name === '' || Object.keys(areas).length === 0) return;
  const area = areas[name];
  const type = dataType(row);
  if (area === undefined) {
    cells.push({
      field: 'area',
      code: 'area_of_model',
      args: { area: name, model: model || form.name, areas: Object.keys(areas).join(', ') },
    });
    return;
  }
  if (!isReadOnly(row) && !area.writable) cells.push({ field: 'rw', code: 'area_read_only', args: { area: name } });
  if (type === 'string' && !has(row, 'regslength')) cells.push({ field: 'regslength', code: 'length_needed' });
  else if (type !== 'string' && has(row, 'regslength')) cells.push({ field: 'regslength', code: 'length_excess' });
  if (form.name === 's7' || form.name === 'ppi') siemens(row, name, area, cells);
  else mitsubishi(row, name, area, form.name, cells);
}

function siemens(row: Fields, name: string, area: Area, cells: Cell[]): void {
  const type = dataType(row);
  const offset = whole(row, 'addroffset');
  if (name === 'DB' && !has(row, 'db_num')) cells.push({ field: 'db_num', code: 'required' });
  else if (name !== 'DB' && has(row, 'db_num')) cells.push({ field: 'db_num', code: 'only_db' });
  if (has(row, 'bit_offset') && (area.unit !== 'byte' || FRACTIONS.has(type)))
    cells.push({ field: 'bit_offset', code: 'bit_area' });
  if (area.unit === 'word') {
    if (type !== 'uint16' && type !== 'int16')
      cells.push({ field: 'data_type', code: 'type_of_area', args: { types: 'uint16, int16', area: name } });
    if (offset !== null && offset % 2 !== 0) cells.push({ field: 'addroffset', code: 'even' });
  } else if (area.unit !== 'byte' && (type === 'uint8' || type === 'int8' || FRACTIONS.has(type))) {
    cells.push({
      field: 'data_type',
      code: 'type_of_area',
      args: { types: 'uint16, int16, uint32, int32', area: name },
    });
  }
}

function mitsubishi(row: Fields, name: string, area: Area, protocol: string, cells: Cell[]): void {
  const type = dataType(row);
  const hasBit = has(row, 'bit_offset');
  if (area.bits === 1 && (FRACTIONS.has(type) || hasBit)) cells.push({ field: 'area', code: 'single_bits' });
  if (area.bits === 32 && ((type !== 'uint32' && type !== 'int32') || hasBit)) {
    cells.push({ field: 'data_type', code: 'type_of_area', args: { types: 'uint32, int32', area: name } });
  }
  if (protocol === 'fx') printed(row, name, area, cells);
}

/** A device number as printed against those that the model has. */
function printed(row: Fields, name: string, area: Area, cells: Cell[]): void {
  const offset = whole(row, 'addroffset');
  if (offset === null || offset < 0) return;
  const digits = String(offset);
  if (area.radix === 8 && /[89]/.test(digits)) {
    cells.push({ field: 'addroffset', code: 'octal', args: { area: name } });
    return;
  }
  const value = Number.parseInt(digits, area.radix);
  if (area.ranges.some(([first, last]) => first <= value && value <= last)) return;
  const said = area.ranges
    .map(([first, last]) => `${name}${first.toString(area.radix)}-${name}${last.toString(area.radix)}`)
    .join(', ');
  cells.push({ field: 'addroffset', code: 'area_numbers', args: { ranges: said } });
}
