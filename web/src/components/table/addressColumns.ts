import { createContext } from 'react';
import { isVisible, ordered } from '@/lib/columnChoice';
import type { ColumnChoice } from '@/lib/columnChoice';
import type { Column } from './columns';

/** Columns that an address names instead of those that its reader chose for himself; his choice stays as it is. */
export interface AddressColumns {
  /** Ids from left to right; null when the address names none. */
  ids: readonly string[] | null;
  set: (ids: readonly string[] | null) => void;
}

export const AddressColumnsContext = createContext<AddressColumns | null>(null);

const NAMES = /^[A-Za-z0-9_.-]{1,40}(,[A-Za-z0-9_.-]{1,40}){0,99}$/;

/** Of a parameter of an address. */
export function columnIds(text: string | undefined): readonly string[] | null {
  return text !== undefined && NAMES.test(text) ? text.split(',') : null;
}

/** Columns by these ids only; null when none of them is there. widths: the reader's own. */
export function choiceOfIds<Row>(
  columns: readonly Column<Row>[],
  ids: readonly string[],
  { widths }: ColumnChoice,
): ColumnChoice | null {
  const known = columns.map(({ id }) => id);
  const order = ids.filter((id, at) => known.includes(id) && ids.indexOf(id) === at);
  if (order.length === 0) return null;
  return { order, hidden: known.filter((id) => !order.includes(id)), widths };
}

/** What an address names for a choice. */
export function idsOfChoice<Row>(columns: readonly Column<Row>[], choice: ColumnChoice): readonly string[] {
  return ordered(columns, choice)
    .filter((column) => isVisible(column, choice))
    .map(({ id }) => id);
}
