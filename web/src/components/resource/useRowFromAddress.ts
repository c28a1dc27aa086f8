import { useEffect, useRef } from 'react';
import { useTab } from '@/lib/tab';
import type { RowId } from '../table/columns';

/** The address asks for a row's form (edit=ID): opened once, as soon as the row has come; then the address forgets it. */
export function useRowFromAddress<Row>(
  rows: readonly Row[],
  rowId: (row: Row) => RowId,
  open: ((row: Row) => void) | undefined,
): void {
  const { search, setSearch } = useTab();
  const wanted = search.edit;
  const opened = useRef<string>(undefined);
  useEffect(() => {
    if (wanted === undefined) opened.current = undefined;
    const row =
      wanted === undefined || wanted === opened.current
        ? undefined
        : rows.find((each) => String(rowId(each)) === wanted);
    if (row === undefined || open === undefined) return;
    opened.current = wanted;
    open(row);
    setSearch({ edit: undefined });
    // setSearch changes with every step of the address.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [wanted, rows, rowId, open]);
}
