import { useEffect, useState } from 'react';
import { pageBefore } from '@/lib/listState';
import { usePreferences } from '@/lib/preferences';

/** Which part of a list is shown, and how to show another. */
export interface Pages {
  /** From 1 on. */
  page: number;
  limit: number;
  setPage: (page: number, how?: 'push' | 'replace') => void;
  /** Starts at the first page again. */
  setLimit: (limit: number) => void;
}

/**
 * Of a list whose page the address does not name: one of several on a page, or below another.
 * filters: what the list is asked for besides, as a text; another one starts at the first page again.
 * own: rows of a page at first, for a list whose number of rows is not the user's; it is not kept.
 */
export function usePages(filters = '', own?: number): Pages {
  const [position, setPosition] = useState({ page: 1, filters });
  const [ownLimit, setOwnLimit] = useState(own);
  if (position.filters !== filters) setPosition({ page: 1, filters });
  const stored = usePreferences((state) => state.pageSize);
  const setPageSize = usePreferences((state) => state.setPageSize);
  const setPage = (page: number): void => setPosition({ page, filters });
  const setLimit = (next: number): void => {
    if (ownLimit === undefined) setPageSize(next);
    else setOwnLimit(next);
    setPage(1);
  };
  return { page: position.filters === filters ? position.page : 1, limit: ownLimit ?? stored, setPage, setLimit };
}

interface Answer {
  data: { total: number } | undefined;
  /** The data are those of the page or filter before. */
  isPlaceholderData?: boolean;
}

/** The last row of a later page went away: the page before is shown, and so loaded. Every paged list uses it. */
export function useStepBack(pages: Pages, { data, isPlaceholderData = false }: Answer): void {
  const { page, limit, setPage } = pages;
  const rows = data === undefined ? 0 : Math.max(0, data.total - (page - 1) * limit);
  const to = data === undefined || isPlaceholderData ? null : pageBefore(page, rows, data.total, limit);
  useEffect(() => {
    if (to !== null) setPage(to, 'replace');
    // Only a new answer moves the page.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [to]);
}
