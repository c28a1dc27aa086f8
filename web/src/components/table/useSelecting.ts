import { useCallback, useLayoutEffect, useMemo, useRef } from 'react';
import type { RowId } from './columns';
import { selected } from './useSelection';
import type { Selection } from './useSelection';

export interface Selecting {
  ids: ReadonlySet<RowId>;
  /** Of the loaded rows. */
  state: 'none' | 'some' | 'all';
  /** range: all from the last toggled row to this one. */
  toggle: (index: number, range: boolean) => void;
  toggleAll: () => void;
}

/** Selecting among the loaded rows. toggle stays the same function, so that a row is not drawn anew for it. */
export function useSelecting<Row>(
  selection: Selection | undefined,
  rows: readonly Row[],
  rowId: (row: Row) => RowId,
): Selecting | null {
  const last = useRef<number | null>(null);
  const latest = useRef({ selection, rows, rowId });
  useLayoutEffect(() => {
    latest.current = { selection, rows, rowId };
  });
  const toggle = useCallback((index: number, range: boolean) => {
    const now = latest.current;
    if (now.selection === undefined) return;
    now.selection.set(selected(now.selection.ids, now.rows.map(now.rowId), range ? last.current : null, index));
    last.current = index;
  }, []);
  const ids = selection?.ids;
  return useMemo(() => {
    if (ids === undefined) return null;
    const count = ids.size === 0 ? 0 : rows.reduce((sum, row) => sum + (ids.has(rowId(row)) ? 1 : 0), 0);
    const state = count === 0 ? 'none' : count === rows.length ? 'all' : 'some';
    const toggleAll = (): void => {
      const next = new Set(ids);
      for (const row of rows) {
        if (state === 'all') next.delete(rowId(row));
        else next.add(rowId(row));
      }
      latest.current.selection?.set(next);
    };
    return { ids, state, toggle, toggleAll };
  }, [ids, rows, rowId, toggle]);
}
