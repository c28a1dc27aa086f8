import { useEffect, useRef } from 'react';
import { useTab } from '@/lib/tab';
import type { RowId } from '../table/columns';

/** The address asks for a row's form (edit=ID): opened once, as soon as the row has come; then the address forgets it. */
export function useAskedRow<Row>(
  rows: readonly Row[],
  rowId: (row: Row) => RowId,
  open: ((row: Row) => void) | undefined,
): void {
  const { search, setSearch } = useTab();
  const asked = search.edit;
  const opened = useRef<string>(undefined);
  useEffect(() => {
    if (asked === undefined) opened.current = undefined;
    const row =
      asked === undefined || asked === opened.current ? undefined : rows.find((each) => String(rowId(each)) === asked);
    if (row === undefined || open === undefined) return;
    opened.current = asked;
    open(row);
    setSearch({ edit: undefined });
    // setSearch changes with every step of the address.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [asked, rows, rowId, open]);
}
