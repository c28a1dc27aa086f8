import { useState } from 'react';
import { usePreferences } from '@/lib/preferences';

/** Which part of a list is shown, and how to show another. */
export interface Pages {
  /** From 1 on. */
  page: number;
  limit: number;
  setPage: (page: number) => void;
  /** Starts at the first page again. */
  setLimit: (limit: number) => void;
}

/** Of a list whose page the address does not name: one of several on a page, or below another. */
export function usePages(): Pages {
  const [page, setPage] = useState(1);
  const limit = usePreferences((state) => state.pageSize);
  const setPageSize = usePreferences((state) => state.setPageSize);
  const setLimit = (next: number): void => {
    setPageSize(next);
    setPage(1);
  };
  return { page, limit, setPage, setLimit };
}
