import { create } from 'zustand';
import { tabId } from '@/lib/screens';
import type { Screen, SearchValues } from '@/lib/screens';

export interface OpenedTab {
  id: string;
  screen: Screen;
  search: SearchValues;
  detail: string;
  /** Raised by 'refresh': the page is made anew. */
  generation: number;
  usedAt: number;
}

/** Pages kept alive; the one unused longest is closed beyond that. */
export const MOST_TABS = 12;

interface Opened {
  tabs: OpenedTab[];
  activeId: string | null;
  show: (screen: Screen, search: SearchValues) => void;
  close: (id: string) => void;
  closeOthers: (id: string) => void;
  refresh: (id: string) => void;
  setDetail: (id: string, detail: string) => void;
  reset: () => void;
}

let clock = 0;

export const useOpened = create<Opened>()((set) => ({
  tabs: [],
  activeId: null,
  show: (screen, search) => set((state) => ({ tabs: shown(state.tabs, screen, search), activeId: tabId(screen, search) })),
  close: (id) => set((state) => ({ tabs: state.tabs.filter((tab) => tab.id !== id) })),
  closeOthers: (id) => set((state) => ({ tabs: state.tabs.filter((tab) => tab.id === id) })),
  refresh: (id) =>
    set((state) => ({
      tabs: state.tabs.map((tab) => (tab.id === id ? { ...tab, generation: tab.generation + 1 } : tab)),
    })),
  setDetail: (id, detail) =>
    set((state) => ({ tabs: state.tabs.map((tab) => (tab.id === id ? { ...tab, detail } : tab)) })),
  reset: () => set({ tabs: [], activeId: null }),
}));

function shown(tabs: OpenedTab[], screen: Screen, search: SearchValues): OpenedTab[] {
  const id = tabId(screen, search);
  clock += 1;
  if (tabs.some((tab) => tab.id === id)) {
    return tabs.map((tab) => (tab.id === id ? { ...tab, search, usedAt: clock } : tab));
  }
  const added = [...tabs, { id, screen, search, detail: '', generation: 0, usedAt: clock }];
  if (added.length <= MOST_TABS) return added;
  const oldest = added.reduce((a, b) => (b.usedAt < a.usedAt ? b : a));
  return added.filter((tab) => tab !== oldest);
}
