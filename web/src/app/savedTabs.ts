import { mayOpen, screenAt } from '@/lib/screens';
import type { Access, SearchValues } from '@/lib/screens';
import { MAX_TABS, useOpened } from './opened';
import type { OpenedTab } from './opened';

/** Of this window: two windows have their own tabs, and a reload finds them. */
const KEY = 'edge.tabs';

interface SavedTabs {
  user: number | string;
  tabs: { path: string; search: SearchValues; detail: string }[];
}

/** Whose tabs of before were taken up since the portal was loaded. */
let restoredFor: number | string | null = null;

/** Opened pages as they are kept for a user. */
export function written(user: number | string, tabs: readonly OpenedTab[]): string {
  const saved: SavedTabs = {
    user,
    tabs: tabs.map(({ screen, search, detail }) => ({ path: screen.path, search, detail })),
  };
  return JSON.stringify(saved);
}

/** Pages that this user had opened and may still open, in their order; what is not understood is left out. */
export function readTabs(
  text: string | null,
  user: number | string,
  access: Access,
): Pick<OpenedTab, 'screen' | 'search' | 'detail'>[] {
  const saved = parsed(text);
  if (saved === null || saved.user !== user || !Array.isArray(saved.tabs)) return [];
  return saved.tabs.slice(0, MAX_TABS * 2).flatMap((one: unknown) => {
    const { path, search, detail } = (one ?? {}) as Partial<SavedTabs['tabs'][number]>;
    const screen = typeof path === 'string' ? screenAt(path) : undefined;
    if (screen === undefined || screen.layout !== 'admin' || !mayOpen(screen, access) || !isSearch(search)) return [];
    return [{ screen, search, detail: typeof detail === 'string' ? detail : '' }];
  });
}

function parsed(text: string | null): Partial<SavedTabs> | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isSearch(value: unknown): value is SearchValues {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
}

/** Take up what a reload left, and keep what is opened from now on. Returns the stop function. */
export function keepTabs(user: number | string, access: Access, storage: Storage = sessionStorage): () => void {
  if (restoredFor !== user) {
    restoredFor = user;
    useOpened.getState().restore(readTabs(storage.getItem(KEY), user, access));
  }
  storage.setItem(KEY, written(user, useOpened.getState().tabs));
  return useOpened.subscribe(({ tabs }, before) => {
    if (tabs !== before.tabs) storage.setItem(KEY, written(user, tabs));
  });
}

/** After a sign-out nothing tells whoever comes next what was looked at. */
export function forgetTabs(storage: Storage = sessionStorage): void {
  storage.removeItem(KEY);
}
