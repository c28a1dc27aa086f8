import type { Column } from './types';

export const ROW_PX = 32;
export const HEAD_PX = 34;
export const ROW_HEAD_PX = 52;
const COLUMN_PX = 120;

/** Where columns stand, in pixels from the first one. */
export interface Layout {
  lefts: readonly number[];
  widths: readonly number[];
  totalPx: number;
  /** Columns that stay in view, and what they take. */
  frozen: number;
  frozenPx: number;
}

/** mostFrozenPx: of the frozen columns together, unless a width was chosen. */
export function layoutOf<Row>(
  columns: readonly Column<Row>[],
  chosen: Readonly<Record<string, number>>,
  frozen: number,
  maxFrozenPx = Infinity,
): Layout {
  const maxPx = Math.floor(maxFrozenPx / Math.max(1, frozen));
  const widths = columns.map(
    (column, at) => chosen[column.key] ?? Math.min(column.width ?? COLUMN_PX, at < frozen ? maxPx : Infinity),
  );
  const lefts: number[] = [];
  let totalPx = 0;
  for (const width of widths) {
    lefts.push(totalPx);
    totalPx += width;
  }
  const held = Math.min(frozen, columns.length);
  return { lefts, widths, totalPx, frozen: held, frozenPx: lefts[held] ?? totalPx };
}

/** The column at a distance from the first one. */
export function columnAt({ lefts }: Layout, x: number): number {
  let [low, high] = [0, lefts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lefts[middle] ?? 0) <= x) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

/** What of a sheet is in view; both ends belong to it. */
export interface InView {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

export interface Port {
  top: number;
  left: number;
  width: number;
  height: number;
}

const OVERSCAN_ROWS = 6;
/** Rows in view change in steps, so that scrolling by a row draws nothing. */
const ROW_STEP = 4;

/** Frozen columns are always drawn and not counted. */
export function inView(layout: Layout, rows: number, port: Port): InView {
  const first = Math.floor(port.top / ROW_PX / ROW_STEP) * ROW_STEP - OVERSCAN_ROWS;
  const last = Math.ceil((port.top + port.height) / ROW_PX / ROW_STEP) * ROW_STEP + OVERSCAN_ROWS;
  const right = port.left + Math.max(0, port.width - ROW_HEAD_PX);
  return {
    firstRow: Math.max(0, first),
    lastRow: Math.min(rows - 1, last),
    firstColumn: Math.max(layout.frozen, columnAt(layout, port.left + layout.frozenPx) - 1),
    lastColumn: Math.min(layout.lefts.length - 1, columnAt(layout, right) + 1),
  };
}

/** The scroll position that shows a cell whole, changed no more than needed. */
export function revealing(layout: Layout, port: Port, row: number, column: number): { top: number; left: number } {
  const top = row * ROW_PX;
  const bodyPx = port.height - HEAD_PX;
  const y = top < port.top ? top : Math.max(port.top, top + ROW_PX - bodyPx);
  if (column < layout.frozen) return { top: y, left: port.left };
  const left = layout.lefts[column] ?? 0;
  const right = left + (layout.widths[column] ?? 0);
  const bodyWidth = port.width - ROW_HEAD_PX;
  const x =
    left - layout.frozenPx < port.left
      ? left - layout.frozenPx
      : Math.max(port.left, Math.min(right - bodyWidth, left - layout.frozenPx));
  return { top: y, left: x };
}
