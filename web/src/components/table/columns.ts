import type { ReactNode } from 'react';

/** One column of a table. Made once (useMemo): a row is drawn anew only when its data or the columns change. */
export interface Column<Row> {
  id: string;
  /** Words of the header, in the user's language. */
  title: string;
  cell: (row: Row) => ReactNode;
  /** Plain text for copies, exports and the search of a list held whole; without it the column is not copied. */
  text?: (row: Row) => string;
  /** By what a list held whole is sorted; without it by the text. */
  value?: (row: Row) => string | number;
  /** Name that the API sorts by; without one the header is no button. */
  sort?: string;
  align?: 'right';
  /** Pixels, before the user changes it. Virtual tables need it of all but one column. */
  width?: number;
  /** Not shown until the user asks for it. */
  hidden?: boolean;
  /** Names the row: header cell of the row, always shown. */
  fixed?: boolean;
  /** Place on a phone's card: its first line, the mark beside it, one of three facts below, or a line of its own below these. */
  card?: 'title' | 'mark' | 'fact' | 'line';
}

/** Id of the column with the buttons of a row. */
export const ACTIONS = 'actions';

export type RowId = string | number;

/** Attributes of a row's element, by which sheets and tests find it. */
export type RowData<Row> = (row: Row) => Readonly<Record<`data-${string}`, string>>;

/** The answer to a list's query, as far as a table shows it; a query of react-query fits. */
export interface TableQuery {
  isPending: boolean;
  isFetching: boolean;
  /** The rows are those of another page or period, until the right ones are here. */
  isPlaceholderData?: boolean;
  error: unknown;
  refetch: () => unknown;
}

/** Of rows that are there without being asked for. */
export const READY: TableQuery = { isPending: false, isFetching: false, error: null, refetch: () => undefined };

/** Copied and exported text of a cell. */
export function textOf<Row>(column: Column<Row>, row: Row): string {
  return column.text === undefined ? '' : column.text(row);
}
