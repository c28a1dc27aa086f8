import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { arranged, sortText } from '@/lib/listState';
import type { Span } from '@/lib/time';
import { textOf } from '../table/columns';
import type { TableQuery } from '../table/columns';
import type { ListState } from '../useListState';
import { useStepBack } from '../usePages';
import { rangeOf } from './filters';
import type { ListRequest, Page, Resource } from './resource';

/** Rows of a list that is loaded whole, at most. */
export const MAX_UNPAGED = 10_000;

interface Rows<Row> {
  rows: readonly Row[];
  total: number;
  query: TableQuery;
  request: ListRequest;
}

const EMPTY: Page<never> = { rows: [], total: 0 };

/** The rows that a list's address asks for: a page of the cloud's, or a whole list searched and sorted here. */
export function useRows<Row, Values extends Record<string, unknown>>(
  resource: Resource<Row, Values>,
  list: ListState,
  span: Span,
): Rows<Row> {
  const { unpaged = false, load, queryKey, refetchMs } = resource;
  const timed = rangeOf(resource.filters ?? []) !== null;
  const request = useMemo<ListRequest>(() => {
    const { page, limit, sort, filters } = list;
    const own = unpaged
      ? { page: 1, limit: MAX_UNPAGED, sort: null, filters: { ...filters, search: '' } }
      : { page, limit, sort, filters };
    return { ...own, sortBy: sortText(own.sort), span };
    // The parts of the list's state; the functions beside them are new each time.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [unpaged, list.page, list.limit, list.sort, list.filters, span]);
  const { span: _span, ...untimed } = request;
  const query = useQuery({
    queryKey: [...queryKey, timed ? request : untimed],
    queryFn: ({ signal }) => load(request, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refetchMs?.(state.data?.rows ?? []) ?? false,
  });
  const data = query.data ?? EMPTY;
  const rows = useArranged(resource, data.rows, list);
  useStepBack(list, unpaged ? { data: undefined } : query);
  const isOld = query.isPlaceholderData;
  return {
    rows,
    total: unpaged ? rows.length : data.total,
    // While another page loads the rows of the last one stay; of none nothing can be said yet.
    query: {
      isPending: query.isPending || (isOld && rows.length === 0),
      isFetching: query.isFetching,
      isPlaceholderData: isOld,
      error: query.error,
      refetch: query.refetch,
    },
    request,
  };
}

function useArranged<Row, Values extends Record<string, unknown>>(
  resource: Resource<Row, Values>,
  rows: readonly Row[],
  list: ListState,
): readonly Row[] {
  const { i18n } = useTranslation();
  const { unpaged = false, columns } = resource;
  const { sort } = list;
  const search = list.filters.search ?? '';
  return useMemo(() => {
    if (!unpaged) return rows;
    const column = columns.find((each) => each.sort !== undefined && each.sort === sort?.by);
    const words = (row: Row): string => columns.map((each) => textOf(each, row)).join('\n');
    const value = column === undefined ? null : (column.value ?? ((row: Row) => textOf(column, row)));
    return arranged(rows, words, search, value, sort?.descending ?? false, i18n.language);
  }, [unpaged, columns, rows, search, sort, i18n.language]);
}
