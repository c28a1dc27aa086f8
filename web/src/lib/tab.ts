import { createContext, useContext } from 'react';
import type { SearchValues } from './screens';

export interface Tab {
  /** Which of the opened pages it is; '' for a page without a tab. */
  id: string;
  /** The page's own address; it stays as it is while another tab is in front. */
  search: SearchValues;
  /** Change search parameters of this page; undefined removes one. push adds a step to the browser's history. */
  setSearch: (change: Record<string, string | number | undefined>, how?: 'push' | 'replace') => void;
  /** Close this page, whose work is done or given up, and go to another one; asks before something is lost. */
  leave: (path: string) => void;
  /** Text beside the title, for example the device's name. */
  setDetail: (detail: string) => void;
}

export const TabContext = createContext<Tab | null>(null);

/** The page's frozen location. Pages read their parameters from here, never from the router. */
export function useTab(): Tab {
  const tab = useContext(TabContext);
  if (tab === null) throw new Error('useTab: outside of an opened page');
  return tab;
}
