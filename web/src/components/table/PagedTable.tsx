import type { ReactElement } from 'react';
import { Paging } from '../Paging';
import type { Pages } from '../usePages';
import type { TableQuery } from './columns';
import { DataTable } from './DataTable';
import type { DataTableProps } from './DataTable';

interface Props<Row> extends Omit<DataTableProps<Row>, 'rows' | 'query' | 'total' | 'before'> {
  pages: Pages;
  query: TableQuery & { data: { rows: readonly Row[]; total: number } | undefined };
}

/** A table of one page of a list, with the ways to the other pages. */
export function PagedTable<Row>({ pages, query, ...table }: Props<Row>): ReactElement {
  const total = query.data?.total ?? 0;
  return (
    <>
      <DataTable
        {...table}
        rows={query.data?.rows ?? []}
        query={query}
        total={total}
        before={(pages.page - 1) * pages.limit}
      />
      <Paging pages={pages} total={total} />
    </>
  );
}
