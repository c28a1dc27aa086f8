import { create } from 'zustand';
import { tabId } from '@/lib/screens';
import type { Screen, SearchValues } from '@/lib/screens';
import { unsaved } from '@/lib/unsaved';

export interface OpenedTab {
  id: string;
  screen: Screen;
  search: SearchValues;
  detail: string;
  /** Raised by 'refresh': the page is made anew. */
  generation: number;
  usedAt: number;
  /** Looked at since the portal was loaded; others are in the strip alone. */
  visited: boolean;
}

/** Pages kept alive. Beyond that the one unused longest is closed, but none that would lose something. */
export const MAX_TABS = 12;

interface Opened {
  tabs: OpenedTab[];
  activeId: string | null;
  show: (screen: Screen, search: SearchValues) => void;
  /** Pages of before, in their order; nothing of them is drawn before it is looked at. */
  restore: (tabs: readonly Pick<OpenedTab, 'screen' | 'search' | 'detail'>[]) => void;
  /** Without a question: whoever calls has asked. */
  close: (ids: readonly string[]) => void;
  refresh: (id: string) => void;
  setDetail: (id: string, detail: string) => void;
}

let clock = 0;

export const useOpened = create<Opened>()((set) => ({
  tabs: [],
  activeId: null,
  show: (screen, search) => {
    const activeId = tabId(screen, search);
    unsaved.setActive(activeId);
    set((state) => ({ tabs: withTab(state.tabs, screen, search), activeId }));
  },
  restore: (saved) => set(({ tabs }) => ({ tabs: together(saved, tabs) })),
  close: (ids) => {
    for (const id of ids) unsaved.forget(id);
    set(({ tabs, activeId }) => ({
      tabs: tabs.filter((tab) => !ids.includes(tab.id)),
      activeId: activeId !== null && ids.includes(activeId) ? null : activeId,
    }));
  },
  refresh: (id) =>
    set((state) => ({
      tabs: state.tabs.map((tab) => (tab.id === id ? { ...tab, generation: tab.generation + 1 } : tab)),
    })),
  setDetail: (id, detail) =>
    set((state) => ({ tabs: state.tabs.map((tab) => (tab.id === id ? { ...tab, detail } : tab)) })),
}));

function made(screen: Screen, search: SearchValues): OpenedTab {
  clock += 1;
  return { id: tabId(screen, search), screen, search, detail: '', generation: 0, usedAt: clock, visited: false };
}

/** Pages of before, unused for longer than every page that is opened now, in their places. */
function together(
  saved: readonly Pick<OpenedTab, 'screen' | 'search' | 'detail'>[],
  opened: readonly OpenedTab[],
): OpenedTab[] {
  const before = saved.map(({ screen, search, detail }, at) => {
    const tab = { ...made(screen, search), detail, usedAt: at - saved.length };
    const now = opened.find(({ id }) => id === tab.id);
    return now === undefined ? tab : { ...now, detail: now.detail || detail };
  });
  const known = new Set(before.map(({ id }) => id));
  return [...before, ...opened.filter(({ id }) => !known.has(id))].slice(-MAX_TABS);
}

function withTab(tabs: OpenedTab[], screen: Screen, search: SearchValues): OpenedTab[] {
  const fresh = { ...made(screen, search), visited: true };
  if (tabs.some(({ id }) => id === fresh.id)) {
    return tabs.map((tab) => (tab.id === fresh.id ? { ...tab, search, usedAt: fresh.usedAt, visited: true } : tab));
  }
  const added = [...tabs, fresh];
  const closable = tabs.filter(({ id }) => !unsaved.losesWith(id)).toSorted((a, b) => a.usedAt - b.usedAt);
  const gone = new Set(closable.slice(0, Math.max(0, added.length - MAX_TABS)));
  return added.filter((tab) => !gone.has(tab));
}
