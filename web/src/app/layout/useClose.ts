import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { showNotice } from '@/components/notices';
import { useGo } from '@/lib/navigation';
import { unsaved } from '@/lib/unsaved';
import { useOpened } from '../opened';
import { titlesOf } from './tabTitles';

export interface Closing {
  /** Close a page; when it was in front, its neighbour comes forward, and without one the landing page. */
  close: (id: string) => Promise<boolean>;
  closeOthers: (id: string) => Promise<boolean>;
  closeAll: () => Promise<boolean>;
  /** Make a page anew. */
  refresh: (id: string) => Promise<boolean>;
}

/** What ends pages. Each asks before something is lost that was entered, and tells whether it was done. */
export function useClose(): Closing {
  const { t } = useTranslation();
  const go = useGo();
  const end = async (ids: readonly string[]): Promise<boolean> => {
    if (!(await isSure(ids, t))) return false;
    const { tabs, activeId, close } = useOpened.getState();
    const at = tabs.findIndex(({ id }) => id === activeId);
    const stays = (tab: { id: string }): boolean => !ids.includes(tab.id);
    const next = tabs.slice(at + 1).find(stays) ?? tabs.slice(0, Math.max(0, at)).findLast(stays);
    if (ids.some((id) => unsaved.keepsOf(id))) showNotice(t('base:unsaved.kept'));
    close(ids);
    if (activeId === null || !ids.includes(activeId)) return true;
    if (next === undefined) go('/');
    else go(next.screen.path, next.search);
    return true;
  };
  const all = (): string[] => useOpened.getState().tabs.map(({ id }) => id);
  return {
    close: (id) => end([id]),
    closeOthers: (id) => end(all().filter((each) => each !== id)),
    closeAll: () => end(all()),
    refresh: async (id) => {
      const sure = await isSure([id], t);
      if (sure) useOpened.getState().refresh(id);
      return sure;
    },
  };
}

/** Close a page and go to another one, whatever was opened beside it; asks as useClose. */
export function useLeave(): (id: string, path: string) => Promise<boolean> {
  const { t } = useTranslation();
  const go = useGo();
  return useCallback(
    async (id, path) => {
      if (!(await isSure([id], t))) return false;
      useOpened.getState().close([id]);
      go(path);
      return true;
    },
    [t, go],
  );
}

async function isSure(ids: readonly string[], t: (key: string) => string): Promise<boolean> {
  const lost = ids.filter((id) => unsaved.losesWith(id));
  const titles = titlesOf(useOpened.getState().tabs, t);
  if (lost.length > 0 && !(await unsaved.ask(lost.map((id) => titles.get(id) ?? '')))) return false;
  for (const id of lost) unsaved.forget(id);
  return true;
}
