import { useMemo } from 'react';
import { isFiltered, listQuery, sortText } from '@/lib/listState';
import type { ListQuery, Sort } from '@/lib/listState';
import { PAGE_SIZES, usePreferences } from '@/lib/preferences';
import { useTab } from '@/lib/tab';
import type { Pages } from './usePages';

export interface ListState extends ListQuery, Pages {
  isFiltered: boolean;
  setPage: (page: number, how?: 'push' | 'replace') => void;
  setSort: (sort: Sort | null) => void;
  /** Undefined or '' takes the filter away. The list starts at its first page again. */
  setFilters: (change: Record<string, string | undefined>) => void;
  clear: () => void;
}

interface Rules {
  filters?: readonly string[];
  sorts?: readonly string[];
  /** Order without a sort in the address. */
  sort?: Sort | null;
}

const NONE: readonly string[] = [];

/** Page, size, order and filters of a page's list, held in its address. One list a page. */
export function useListState({ filters = NONE, sorts = NONE, sort = null }: Rules = {}): ListState {
  const { search, setSearch } = useTab();
  const size = usePreferences((state) => state.pageSize);
  const setPageSize = usePreferences((state) => state.setPageSize);
  const query = useMemo(
    () => listQuery(search, { filters, sorts, sizes: PAGE_SIZES, size, sort }),
    [search, filters, sorts, size, sort],
  );
  return {
    ...query,
    isFiltered: isFiltered(query),
    setPage: (page, how = 'push') => setSearch({ page: page === 1 ? undefined : page }, how),
    setLimit: (limit) => {
      setPageSize(limit);
      setSearch({ limit, page: undefined });
    },
    setSort: (next) => setSearch({ sort: sortText(next), page: undefined }),
    setFilters: (change) => setSearch({ ...change, page: undefined }),
    clear: () => setSearch({ ...Object.fromEntries(filters.map((name) => [name, undefined])), page: undefined }),
  };
}
