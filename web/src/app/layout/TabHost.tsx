import { useRouterState } from '@tanstack/react-router';
import { Activity, Suspense, useEffect, useLayoutEffect, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorBoundary } from '@/components/ErrorBoundary';
import { PageSkeleton } from '@/components/PageSkeleton';
import { useGo } from '@/lib/navigation';
import { screenAt } from '@/lib/screens';
import type { SearchValues } from '@/lib/screens';
import { TabContext } from '@/lib/tab';
import type { Tab } from '@/lib/tab';
import { unsaved } from '@/lib/unsaved';
import { useOpened } from '../opened';
import type { OpenedTab } from '../opened';
import classes from './layout.module.css';
import { pageOf } from './pageOf';
import { titlesOf } from './tabTitles';
import { useLeave } from './useClose';
import { useDocumentTitle } from './useDocumentTitle';

const scrolls = new Map<string, number>();

/** Draws every opened page; only the active one is visible, and effects of the others are asleep. */
export function TabHost(): ReactElement {
  const location = useRouterState({ select: (state) => state.resolvedLocation ?? state.location });
  const { tabs, activeId, show } = useOpened();
  const { t } = useTranslation();
  useLayoutEffect(() => {
    const screen = screenAt(location.pathname);
    if (screen !== undefined && screen.layout === 'admin') show(screen, location.search as SearchValues);
  }, [location, show]);
  useScrollOf(activeId);
  useDocumentTitle(titlesOf(tabs, t).get(activeId ?? '') ?? '');
  // Forms of a page that came to the front have told themselves by now: effects of what is inside run first.
  useEffect(() => unsaved.settle(activeId ?? ''), [activeId]);
  return (
    <div className={classes.page}>
      {tabs
        .filter(({ visited }) => visited)
        .map((tab) => (
          <Activity key={`${tab.id}#${tab.generation}`} mode={tab.id === activeId ? 'visible' : 'hidden'}>
            <div data-screen={tab.screen.path}>
              <OpenedPage tab={tab} active={tab.id === activeId} />
            </div>
          </Activity>
        ))}
    </div>
  );
}

function OpenedPage({ tab, active }: { tab: OpenedTab; active: boolean }): ReactElement {
  const go = useGo();
  const leave = useLeave();
  const setDetail = useOpened((state) => state.setDetail);
  const { id, screen, search } = tab;
  const Page = pageOf(screen);
  const context = useMemo<Tab>(
    () => ({
      id,
      search,
      setSearch: (change, how = 'replace') => {
        if (active) go(screen.path, { ...search, ...change }, { replace: how === 'replace' });
      },
      leave: (path) => void leave(id, path),
      setDetail: (detail) => setDetail(id, detail),
    }),
    [search, active, screen, go, leave, setDetail, id],
  );
  return (
    <TabContext value={context}>
      <ErrorBoundary info={screen.path}>
        <Suspense fallback={<PageSkeleton />}>
          <Page />
        </Suspense>
      </ErrorBoundary>
    </TabContext>
  );
}

function useScrollOf(id: string | null): void {
  useEffect(() => {
    if (id === null) return undefined;
    window.scrollTo(0, scrolls.get(id) ?? 0);
    const keep = (): void => void scrolls.set(id, window.scrollY);
    window.addEventListener('scroll', keep, { passive: true });
    return () => window.removeEventListener('scroll', keep);
  }, [id]);
}
