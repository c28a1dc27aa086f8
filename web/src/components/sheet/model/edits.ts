import type { Change, Column, RowKey, SheetFaults } from '../types';
import { isFixed } from './change';
import type { Entry } from './change';
import { tiled } from './clipboard';
import { series } from './fill';
import type { Block, Place } from './selection';

/** What a cell shows: of a choice its label. */
export function displayText<Row>(column: Column<Row>, row: Row): string {
  const text = column.read(row);
  if (column.kind !== 'select') return text;
  return column.options?.find(({ value }) => value === text)?.label ?? text;
}

/** The cells of a block as text, for the clipboard. */
export function texts<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { top, left, bottom, right }: Block,
): string[][] {
  const inBlock = columns.slice(left, right + 1);
  return rows.slice(top, bottom + 1).map((row) => inBlock.map((column) => displayText(column, row)));
}

export function isFilled<Row>(rows: readonly Row[], columns: readonly Column<Row>[], place: Place): boolean {
  const [row, column] = [rows[place.row], columns[place.column]];
  return row !== undefined && column !== undefined && column.read(row) !== '';
}

/** One text into every cell of a block; what cannot be written is passed over. */
export function setAll<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  block: Block,
  text: string,
): Entry[] {
  return cells(block)
    .filter((place) => !isFixedAt(rows, columns, place))
    .map((place) => ({ ...place, text }));
}

/** Pasted cells from the block's first one on. */
export function pasted(table: readonly (readonly string[])[], block: Block): { entries: Entry[]; block: Block } {
  const lines = tiled(table, block.bottom - block.top + 1, block.right - block.left + 1);
  const entries = lines.flatMap((line, row) =>
    line.map((text, column) => ({ row: block.top + row, column: block.left + column, text })),
  );
  const width = Math.max(1, ...lines.map((line) => line.length));
  return {
    entries,
    block: {
      top: block.top,
      left: block.left,
      bottom: block.top + Math.max(1, lines.length) - 1,
      right: block.left + width - 1,
    },
  };
}

/** The block's first line into its others; into a single line the one above. */
export function filledDown<Row>(rows: readonly Row[], columns: readonly Column<Row>[], block: Block): Entry[] {
  const from = block.top === block.bottom ? block.top - 1 : block.top;
  const source = rows[from];
  if (source === undefined) return [];
  return cells({ ...block, top: from + 1 })
    .filter((place) => !isFixedAt(rows, columns, place))
    .map((place) => ({ ...place, text: columns[place.column]?.read(source) ?? '' }));
}

/** Each column of the block counted on from its first cell, or from its first two when the second is not empty. */
export function countedDown<Row>(rows: readonly Row[], columns: readonly Column<Row>[], block: Block): Entry[] {
  const entries: Entry[] = [];
  for (let column = block.left; column <= block.right; column++) {
    const read = (row: number): string => (rows[row] === undefined ? '' : (columns[column]?.read(rows[row]) ?? ''));
    const two = block.bottom > block.top + 1 && read(block.top + 1) !== '' && read(block.top + 1) !== read(block.top);
    const seeds = two ? [read(block.top), read(block.top + 1)] : [read(block.top)];
    const from = block.top + seeds.length;
    series(seeds, block.bottom - from + 1, 1).forEach((text, at) => entries.push({ row: from + at, column, text }));
  }
  return entries.filter((place) => !isFixedAt(rows, columns, place));
}

/** A block pulled down to another last line: a single number is repeated, or counted on when asked. */
export function pulledDown<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  block: Block,
  bottom: number,
  counting: boolean,
): Entry[] {
  const entries: Entry[] = [];
  for (let column = block.left; column <= block.right; column++) {
    const seeds = rows.slice(block.top, block.bottom + 1).map((row) => columns[column]?.read(row) ?? '');
    series(seeds, bottom - block.bottom, counting ? 1 : 0).forEach((text, at) =>
      entries.push({ row: block.bottom + 1 + at, column, text }),
    );
  }
  return entries.filter((place) => !isFixedAt(rows, columns, place));
}

/** New rows after the block, as many as it has lines: empty, or copies of its rows. */
export function inserted<Row>(
  rows: readonly Row[],
  block: Block,
  max: number,
  make: (copyOf: Row | null) => Row,
  copy: boolean,
): Change<Row> {
  const chosen = rows.slice(block.top, block.bottom + 1);
  const count = Math.max(0, Math.min(Math.max(1, chosen.length), max - rows.length));
  const at = Math.min(rows.length, block.bottom + 1);
  const added = Array.from({ length: count }, (_, index) => ({
    at: at + index,
    row: make(copy ? (chosen[index] ?? null) : null),
  }));
  return { changed: [], added, removed: [] };
}

export function removed<Row>(rows: readonly Row[], block: Block, may: (row: Row) => boolean): Change<Row> {
  const going = rows.slice(block.top, block.bottom + 1).map((row, index) => ({ at: block.top + index, row }));
  return { changed: [], added: [], removed: going.filter(({ row }) => may(row)) };
}

/** The next cell with a fault after a place, in reading order and round the end. */
export function nextFault<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  rowKey: (row: Row) => RowKey,
  faults: SheetFaults,
  from: Place,
): Place | null {
  const places = new Map(columns.map((column, index) => [column.key, index]));
  const inRow = (at: number): number[] => {
    const row = rows[at];
    const cellFaults = row === undefined ? undefined : faults.get(rowKey(row));
    if (cellFaults === undefined) return [];
    return [...cellFaults]
      .flatMap(([key, { level }]) => (level === 'note' ? [] : (places.get(key) ?? [])))
      .sort((a, b) => a - b);
  };
  for (let step = 0; step <= rows.length; step++) {
    const row = (from.row + step) % rows.length;
    const later = inRow(row).find((column) =>
      step > 0 && step < rows.length ? true : step === 0 ? column > from.column : column <= from.column,
    );
    if (later !== undefined) return { row, column: later };
  }
  return null;
}

function cells({ top, left, bottom, right }: Block): Place[] {
  const places: Place[] = [];
  for (let row = top; row <= bottom; row++) {
    for (let column = left; column <= right; column++) places.push({ row, column });
  }
  return places;
}

function isFixedAt<Row>(rows: readonly Row[], columns: readonly Column<Row>[], { row, column }: Place): boolean {
  const target = rows[row];
  return target === undefined || isFixed(columns[column], target);
}
