import { useCallback, useMemo, useState } from 'react';
import type { RowId } from './columns';

export interface Selection {
  ids: ReadonlySet<RowId>;
  set: (ids: ReadonlySet<RowId>) => void;
  clear: () => void;
}

const NONE: ReadonlySet<RowId> = new Set();

/** Selected rows by id. What is selected on one page stays so on the next. */
export function useSelection(): Selection {
  const [ids, set] = useState(NONE);
  const clear = useCallback(() => set(NONE), []);
  return useMemo(() => ({ ids, set, clear }), [ids, clear]);
}

/** One row, or all from the last toggled one to this, take the state that this one gets. */
export function selected(
  ids: ReadonlySet<RowId>,
  order: readonly RowId[],
  from: number | null,
  to: number,
): ReadonlySet<RowId> {
  const target = order[to];
  if (target === undefined) return ids;
  const result = new Set(ids);
  const isOn = !ids.has(target);
  const start = from ?? to;
  for (const id of order.slice(Math.min(start, to), Math.max(start, to) + 1)) {
    if (isOn) result.add(id);
    else result.delete(id);
  }
  return result;
}
