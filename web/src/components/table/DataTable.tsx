import { lazy, Suspense, useMemo } from 'react';
import type { ReactElement } from 'react';
import type { Sort } from '@/lib/listState';
import { PreviousData } from '../PreviousData';
import { PageSkeleton } from '../PageSkeleton';
import { PlainCards } from './Cards';
import type { Column, RowData, RowId, TableQuery } from './columns';
import { PlainGrid } from './Grid';
import classes from './table.module.css';
import { TableState } from './TableState';
import type { EmptyWords } from './TableState';
import type DrawVirtual from './Virtual';
import { useColumns } from './useColumns';
import { usePhone } from './usePhone';
import { useSelecting } from './useSelecting';
import type { Selection } from './useSelection';

/** Height of tables in dialogs, drawers and popovers, in which they scroll; by specification. Shorter ones end earlier. */
export const DIALOG_TABLE_PX = 300;
/** Most lists are paged and need no virtual rows. lazy() knows no type parameter. */
const Virtual = lazy(() => import('./Virtual')) as unknown as typeof DrawVirtual;
const VIRTUAL_HEIGHT = 'max(300px, calc(100dvh - 280px))';
const DEFAULT_SKELETON_ROWS = 8;

export interface DataTableProps<Row> {
  /** Name of the table: test ids, and under what the user's columns are kept. */
  name: string;
  /** What the table lists, for readers of the screen. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => RowId;
  /** The same function each time, as columns are. */
  rowData?: RowData<Row>;
  query: TableQuery;
  /** Rows of the whole list; without it the given ones are all. */
  total?: number;
  /** Rows before the given ones. */
  before?: number;
  sort?: Sort | null;
  onSort?: (sort: Sort | null) => void;
  selection?: Selection;
  /** Enter, or a click beside links and buttons. */
  onOpen?: (row: Row) => void;
  /** The Delete key. */
  onDelete?: (row: Row) => void;
  filtered?: boolean;
  onClear?: () => void;
  empty?: EmptyWords;
  /** Hold only the rows in view in the page; for lists of hundreds and more. */
  virtual?: boolean;
  /** Of a table that scrolls in itself; number of pixels or a CSS length. */
  height?: number | string;
}

/** A table on a desk, cards on a phone; or what stands in the place of rows. */
export function DataTable<Row>(props: DataTableProps<Row>): ReactElement {
  const { name, columns: made, rows, rowId, query, before = 0, virtual = false } = props;
  const phone = usePhone();
  const columns = useColumns(name, made);
  const selecting = useSelecting(props.selection, rows, rowId);
  const total = props.total ?? rows.length;
  const shared = useMemo(
    () => ({ sort: props.sort ?? null, height: props.height ?? (virtual ? VIRTUAL_HEIGHT : undefined) }),
    [props.sort, props.height, virtual],
  );
  const drawn = {
    ...shared,
    name,
    label: props.label,
    rows,
    rowId,
    rowData: props.rowData,
    columns,
    total,
    before,
    selecting,
    onSort: props.onSort,
    onOpen: props.onOpen ?? null,
    onDelete: props.onDelete ?? null,
  };
  return (
    <PreviousData isOld={query.isPlaceholderData ?? false} isBusy={query.isFetching}>
      <div className={classes.refetching} data-on={query.isFetching && !query.isPending} />
      <TableState
        query={query}
        rows={rows.length}
        filtered={props.filtered ?? false}
        onClear={props.onClear}
        empty={props.empty}
        skeletonRows={DEFAULT_SKELETON_ROWS}
      >
        {virtual ? (
          <Suspense fallback={<PageSkeleton rows={DEFAULT_SKELETON_ROWS} />}>
            <Virtual {...drawn} phone={phone} />
          </Suspense>
        ) : phone ? (
          <PlainCards {...drawn} />
        ) : (
          <PlainGrid {...drawn} />
        )}
      </TableState>
    </PreviousData>
  );
}
