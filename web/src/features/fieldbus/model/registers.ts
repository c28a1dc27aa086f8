import { POINT_FIELDS, valueOf } from './sections';
import type { Broken, Row, Values } from './sections';

export const AREAS = ['0X', '1X', '3X', '4X'] as const;
export type Area = (typeof AREAS)[number];

/** Of one bit an address. */
export const BIT_AREAS: ReadonlySet<string> = new Set(['0X', '1X']);
/** That a master can write. */
export const WRITABLE_AREAS: ReadonlySet<string> = new Set(['0X', '4X']);
export const ADDRESSES = 65_536;
/** Addresses of one page of the picture. */
export const PAGE = 256;

const REGISTERS: Readonly<Record<string, number>> = {
  uint16: 1,
  int16: 1,
  uint32: 2,
  int32: 2,
  uint64: 4,
  int64: 4,
  float: 2,
  double: 4,
};

/** Addresses that a mapped point takes: 1 in 0X and 1X, else registers. */
export function widthOf(row: Row): number {
  if (BIT_AREAS.has(String(row.reg_type))) return 1;
  const length = Number(row.length ?? 0);
  return length > 0 ? length : (REGISTERS[String(row.data_type ?? 'uint16')] ?? 1);
}

export const keyOf = (row: Row): string => `${String(row.slave)}.${String(row.name)}`;
const startOf = (row: Row): number => Number(row.offset);
const endOf = (row: Row): number => startOf(row) + widthOf(row);

/** 40001 for the first register of 4X, 400001 beyond the ten thousandth, as drawings name them. */
export function referenceOf(area: string, offset: number): string {
  const number = offset + 1;
  return `${area.slice(0, 1)}${String(number).padStart(number > 9999 ? 5 : 4, '0')}`;
}

const inArea = (rows: readonly Row[], area: string): Row[] =>
  rows.filter((row) => row.reg_type === area && Number.isInteger(startOf(row)));

/** Rows that share an address with another one, with those others. */
export function overlapsOf(rows: readonly Row[]): ReadonlyMap<Row, readonly Row[]> {
  const found = new Map<Row, Row[]>();
  const note = (row: Row, other: Row): void => void found.set(row, [...(found.get(row) ?? []), other]);
  for (const area of AREAS) {
    let open: Row[] = [];
    for (const row of inArea(rows, area).toSorted((a, b) => startOf(a) - startOf(b))) {
      open = open.filter((other) => endOf(other) > startOf(row));
      for (const other of open) {
        note(row, other);
        note(other, row);
      }
      open.push(row);
    }
  }
  return found;
}

/** The first address from `from` on at which so many are free; null when there is none. */
export function freeOffset(rows: readonly Row[], area: string, width: number, from: number): number | null {
  let at = from;
  for (const row of inArea(rows, area).toSorted((a, b) => startOf(a) - startOf(b))) {
    if (startOf(row) >= at + width) break;
    at = Math.max(at, endOf(row));
  }
  return at + width <= ADDRESSES ? at : null;
}

/** The first address behind every point of an area. */
export const behindAll = (rows: readonly Row[], area: string): number => Math.max(0, ...inArea(rows, area).map(endOf));

/** First addresses of the pages on which an area has points. */
export function pagesOf(rows: readonly Row[], area: string): readonly number[] {
  const pages = new Set<number>();
  for (const row of inArea(rows, area))
    for (let page = Math.floor(startOf(row) / PAGE); page * PAGE < endOf(row); page++) pages.add(page * PAGE);
  return [...pages].toSorted((a, b) => a - b);
}

/** Addresses of a line that hold the same: points, more than one where they overlap, or none. */
export interface Segment {
  start: number;
  width: number;
  rows: readonly Row[];
}

export interface Line {
  start: number;
  segments: readonly Segment[];
}

/** A page as lines of so many addresses; lines without a point are left out. */
export function linesOf(rows: readonly Row[], area: string, page: number, columns: number): readonly Line[] {
  const here = inArea(rows, area).filter((row) => startOf(row) < page + PAGE && endOf(row) > page);
  const lines: Line[] = [];
  for (let start = page; start < page + PAGE; start += columns) {
    const end = start + columns;
    const own = here.filter((row) => startOf(row) < end && endOf(row) > start);
    if (own.length > 0) lines.push({ start, segments: segmentsOf(own, start, end) });
  }
  return lines;
}

function segmentsOf(rows: readonly Row[], start: number, end: number): readonly Segment[] {
  const bounds = new Set([start, end]);
  for (const row of rows) for (const at of [startOf(row), endOf(row)]) if (at > start && at < end) bounds.add(at);
  const sorted = [...bounds].toSorted((a, b) => a - b);
  return sorted.slice(0, -1).map((from, index) => ({
    start: from,
    width: (sorted[index + 1] ?? end) - from,
    rows: rows.filter((row) => startOf(row) <= from && endOf(row) > from),
  }));
}

/** What does not go with the area or type of a mapped point, and so is no part of its row. */
export function withoutForeign(values: Values): Values {
  const isBit = BIT_AREAS.has(String(values.reg_type));
  const isText = !isBit && values.data_type === 'string';
  return {
    ...values,
    ...(isBit ? { data_type: '', endian: valueOf(POINT_FIELDS, {}, 'endian') } : {}),
    ...(isBit || isText ? { ratio: 1, bias: 0 } : {}),
    length: isText ? values.length : '',
    writable: values.writable === true && WRITABLE_AREAS.has(String(values.reg_type)),
  };
}

/** How fields of a mapped point go together, as the gateway judges it too. */
export function mappingBroken(values: Values): Record<string, Broken> {
  const row = withoutForeign(values);
  const broken: Record<string, Broken> = {};
  if (row.data_type === 'string' && row.length === '') broken.length = { rule: 'required' };
  if (Number(row.ratio) === 0) broken.ratio = { rule: 'zero' };
  if (row.offset !== '' && endOf(row) > ADDRESSES) broken.offset = { rule: 'beyond', args: { limit: ADDRESSES } };
  return broken;
}

/** A point of the newest configuration, as far as a mapping needs it. */
export type PointFacts = {
  slave: string;
  name: string;
  title: string;
  kind: string;
  dataType: string;
  ratio: number;
  bias: number;
  isWritable: boolean;
  length: number;
};

const TEXTS: ReadonlySet<string> = new Set(['str', 'loc']);
const TEXT_REGISTERS = 16;
/** Types of a device that no mapped point has, and what holds them. */
const HOLDING: Readonly<Record<string, string>> = { uint8: 'uint16', int8: 'int16', bool: 'uint16' };

/** A row for a point: the type and conversion that it has at its own device, so that registers equal the device's. */
export function proposedRow(point: PointFacts, area: string, offset: number, isWritable: boolean): Row {
  const own = HOLDING[point.dataType] ?? point.dataType;
  const isText = TEXTS.has(point.kind);
  const isNumber = point.kind === 'num' && own in REGISTERS;
  return withoutForeign({
    slave: point.slave,
    name: point.name,
    reg_type: area,
    offset,
    data_type: isText ? 'string' : isNumber ? own : point.kind === 'swh' ? 'uint16' : 'float',
    endian: valueOf(POINT_FIELDS, {}, 'endian'),
    length: isText ? point.length || TEXT_REGISTERS : '',
    ratio: isNumber ? point.ratio : 1,
    bias: isNumber ? point.bias : 0,
    writable: isWritable && point.isWritable,
  });
}

/** Rows for points, one behind the other from an address on, where nothing lies yet; null when the area has not the space. */
export function proposedRows(
  points: readonly PointFacts[],
  rows: readonly Row[],
  area: string,
  from: number,
  isWritable: boolean,
): readonly Row[] | null {
  const made: Row[] = [];
  let at = from;
  for (const point of points) {
    const row = proposedRow(point, area, 0, isWritable);
    const offset = freeOffset(rows, area, widthOf(row), at);
    if (offset === null) return null;
    made.push({ ...row, offset });
    at = offset + widthOf(row);
  }
  return made;
}
