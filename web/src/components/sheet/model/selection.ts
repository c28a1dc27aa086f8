/** A cell by the places of its row and column. */
export interface Place {
  row: number;
  column: number;
}

/** The active cell, which is typed into, and the block from `anchor` to `corner` around it. */
export interface Selection {
  active: Place;
  anchor: Place;
  corner: Place;
}

/** Both ends belong to it. */
export interface Block {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export interface Size {
  rows: number;
  columns: number;
}

export type Direction = 'up' | 'down' | 'left' | 'right';

const STEPS: Record<Direction, Place> = {
  up: { row: -1, column: 0 },
  down: { row: 1, column: 0 },
  left: { row: 0, column: -1 },
  right: { row: 0, column: 1 },
};

export const NOWHERE: Selection = one({ row: 0, column: 0 });

export function one(place: Place): Selection {
  return { active: place, anchor: place, corner: place };
}

/** From a cell, which becomes the active one, to another. */
export function span(from: Place, to: Place): Selection {
  return { active: from, anchor: from, corner: to };
}

export function blockOf({ anchor, corner }: Selection): Block {
  return {
    top: Math.min(anchor.row, corner.row),
    left: Math.min(anchor.column, corner.column),
    bottom: Math.max(anchor.row, corner.row),
    right: Math.max(anchor.column, corner.column),
  };
}

export function isOne({ anchor, corner }: Selection): boolean {
  return same(anchor, corner);
}

/** The place nearest to it that exists; the first one of an empty sheet. */
export function within({ row, column }: Place, size: Size): Place {
  return { row: clamp(row, size.rows), column: clamp(column, size.columns) };
}

function clamp(at: number, count: number): number {
  return Math.max(0, Math.min(at, count - 1));
}

/** Rows may have gone: what is left of a selection. */
export function clamped(selection: Selection, size: Size): Selection {
  const next = {
    active: within(selection.active, size),
    anchor: within(selection.anchor, size),
    corner: within(selection.corner, size),
  };
  const isSame =
    same(next.active, selection.active) && same(next.anchor, selection.anchor) && same(next.corner, selection.corner);
  return isSame ? selection : next;
}

/** The same cells when columns come or go before them, told by their keys; a column that is gone leaves its place. */
export function followed(selection: Selection, before: readonly string[], after: readonly string[]): Selection {
  const at = ({ row, column }: Place): Place => {
    const index = after.indexOf(before[column] ?? '');
    return { row, column: index < 0 ? column : index };
  };
  const next = { active: at(selection.active), anchor: at(selection.anchor), corner: at(selection.corner) };
  const isSame =
    same(next.active, selection.active) && same(next.anchor, selection.anchor) && same(next.corner, selection.corner);
  return isSame ? selection : next;
}

function same(a: Place, b: Place): boolean {
  return a.row === b.row && a.column === b.column;
}

/** By `count` cells; extend moves the corner and leaves the other end. */
export function moved(
  selection: Selection,
  direction: Direction,
  size: Size,
  { extend = false, count = 1 } = {},
): Selection {
  const step = STEPS[direction];
  const from = extend ? selection.corner : selection.active;
  const to = within({ row: from.row + step.row * count, column: from.column + step.column * count }, size);
  return extend ? span(selection.anchor, to) : one(to);
}

/**
 * As Ctrl and an arrow: to the last filled cell before a gap, or over a gap to the next filled one, or to the edge.
 * isFilled is asked for cells that exist.
 */
export function jumped(
  selection: Selection,
  direction: Direction,
  size: Size,
  extend: boolean,
  isFilled: (place: Place) => boolean,
): Selection {
  const step = STEPS[direction];
  const exists = ({ row, column }: Place): boolean =>
    row >= 0 && column >= 0 && row < size.rows && column < size.columns;
  const next = (place: Place): Place => ({ row: place.row + step.row, column: place.column + step.column });
  let at = extend ? selection.corner : selection.active;
  const inBlock = isFilled(at) && exists(next(at)) && isFilled(next(at));
  for (let ahead = next(at); exists(ahead); ahead = next(ahead)) {
    if (inBlock && !isFilled(ahead)) break;
    at = ahead;
    if (!inBlock && isFilled(ahead)) break;
  }
  return extend ? span(selection.anchor, at) : one(at);
}

/** Tab and Enter: through the block, if there is one, and on from it else. */
export function advanced(selection: Selection, direction: Direction, size: Size): Selection {
  if (isOne(selection)) return moved(selection, direction, size);
  const block = blockOf(selection);
  const { active } = selection;
  const width = block.right - block.left + 1;
  const height = block.bottom - block.top + 1;
  const byRow = direction === 'left' || direction === 'right';
  const step = direction === 'right' || direction === 'down' ? 1 : -1;
  const at = byRow
    ? (active.row - block.top) * width + active.column - block.left
    : (active.column - block.left) * height + active.row - block.top;
  const next = (at + step + width * height) % (width * height);
  const place = byRow
    ? { row: block.top + Math.floor(next / width), column: block.left + (next % width) }
    : { row: block.top + (next % height), column: block.left + Math.floor(next / height) };
  return { ...selection, active: place };
}

export function all(size: Size): Selection {
  return span({ row: 0, column: 0 }, within({ row: size.rows - 1, column: size.columns - 1 }, size));
}

/** Whole rows, from the active one to another. */
export function rowsOf(from: number, to: number, size: Size): Selection {
  return span(within({ row: from, column: 0 }, size), within({ row: to, column: size.columns - 1 }, size));
}

/** Whole columns. */
export function columnsOf(from: number, to: number, size: Size): Selection {
  return span(within({ row: 0, column: from }, size), within({ row: size.rows - 1, column: to }, size));
}
