import type { ReactNode } from 'react';

export type RowKey = string | number;

/** A row with the text taken into it, or why it cannot be: then the row stays and the cell says so. */
export type Written<Row> = { row: Row } | { fault: string };

export interface Option {
  value: string;
  label: string;
}

/**
 * A column. Text is what a cell is shown, typed, copied and pasted as, so that a column is two functions:
 * read(write(row, text).row) is the same text, or its normal form. '' is an empty cell.
 *
 * - text, number: as typed; a number is right aligned and filled down in steps.
 * - select: the text is an option's `value`; its label is shown, and taken when pasted.
 * - switch: '1' or '0'; true, yes, on and their like are taken when pasted.
 * - color: '#rrggbb' or ''.
 * - live: drawn by `cell`, never written; `read` says what is copied.
 */
export interface Column<Row> {
  key: string;
  title: string;
  kind: 'text' | 'number' | 'select' | 'switch' | 'color' | 'live';
  /** Pixels at first; 120 by default. */
  width?: number;
  options?: readonly Option[];
  unit?: string;
  align?: 'left' | 'right';
  /** What the column is for, at its head. */
  hint?: string;
  placeholder?: string;
  maxLength?: number;
  read: (row: Row) => string;
  /** Absent in a column that is only read. Must be pure and quick: it is called for each pasted cell. */
  write?: (row: Row, text: string) => Written<Row>;
  /** The row with a pasted text that `write` or the column's kind does not take, so that its cell shows it and a fault marks it.
   * Absent: such a text is not written. */
  keep?: (row: Row, text: string) => Row;
  /** Is this cell fixed? */
  readOnly?: (row: Row) => boolean;
  /** Of a live column. */
  cell?: (row: Row) => ReactNode;
}

/** A note is no fault: what is worth to know of a cell. */
export interface CellFault {
  level: 'error' | 'warning' | 'note';
  text: string;
}

/** What is wrong, by row and column key. Make a row's map anew only when it changes: a row is drawn again for a new one. */
export type SheetFaults = ReadonlyMap<RowKey, ReadonlyMap<string, CellFault>>;

export interface Patch<Row> {
  key: RowKey;
  before: Row;
  after: Row;
}

export interface Placed<Row> {
  /** Place of a removed row among the rows before, of an added one among the rows after the change. */
  at: number;
  row: Row;
}

/** One step: what a user did at once, a pasted block too. `applied` and `inverse` (model/change.ts) work on it. */
export interface Change<Row> {
  changed: readonly Patch<Row>[];
  /** Both ordered by `at`. */
  added: readonly Placed<Row>[];
  removed: readonly Placed<Row>[];
}

/** A cell by its row and column. */
export interface Sought {
  row: RowKey;
  column: string;
}

export interface SheetProps<Row> {
  /** Name of the table, for its test ids. */
  name: string;
  /** What the table is called aloud. */
  label: string;
  rows: readonly Row[];
  /** A key stays with its row while its fields change. */
  rowKey: (row: Row) => RowKey;
  /** Memoise them. */
  columns: readonly Column<Row>[];
  /** The rows after a change of the user, undo and redo too; keep them and pass them back. Absent: only read. */
  onChange?: (rows: readonly Row[], change: Change<Row>) => void;
  faults?: SheetFaults;
  /** A fresh row with a key of its own: empty, or a copy of a row. Absent: rows cannot be added, nor by pasting. */
  newRow?: (copyOf: Row | null) => Row;
  /** Absent: rows cannot be deleted. */
  mayDelete?: (row: Row) => boolean;
  /** Most rows; more are not added. */
  maxRows?: number;
  /** The first columns that stay in view when scrolled sideways; 1 by default. On phones they are narrowed to 160 pixels in all. */
  frozen?: number;
  /** What is at the head of a row, its number by default. */
  rowHeader?: (row: Row, index: number) => ReactNode;
  /** Pixels or a CSS length of the whole sheet; 480 by default. */
  height?: number | string;
  /** More in the bar above the cells. */
  tools?: ReactNode;
  /** Told when other rows are selected, from the first to the last. */
  onSelect?: (rows: readonly Row[]) => void;
  /** A cell to go to; each new object is followed once, when its row and column are there. */
  seek?: Sought | null;
  /** Shown in place of rows. */
  empty?: ReactNode;
}

/** Do typing and pasting below the last row make rows? */
export function mayAddTo<Row>({ onChange, newRow }: Pick<SheetProps<Row>, 'onChange' | 'newRow'>): boolean {
  return onChange !== undefined && newRow !== undefined;
}
