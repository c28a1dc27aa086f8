import { useRouterState } from '@tanstack/react-router';
import { Activity, lazy, Suspense, useEffect, useLayoutEffect, useMemo } from 'react';
import type { ComponentType, LazyExoticComponent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorBoundary } from '@/components/ErrorBoundary';
import { PageSkeleton } from '@/components/PageSkeleton';
import { useGo } from '@/lib/navigation';
import type { Screen, SearchValues } from '@/lib/screens';
import { TabContext } from '@/lib/tab';
import type { Tab } from '@/lib/tab';
import { screenAt } from '../manifest';
import { useOpened } from '../opened';
import type { OpenedTab } from '../opened';
import classes from './layout.module.css';

const pages = new Map<Screen, LazyExoticComponent<ComponentType>>();
const scrolls = new Map<string, number>();

function pageOf(screen: Screen): LazyExoticComponent<ComponentType> {
  const known = pages.get(screen);
  if (known !== undefined) return known;
  const made = lazy(screen.load);
  pages.set(screen, made);
  return made;
}

/** Draws every opened page; only the active one is visible, and effects of the others are asleep. */
export function TabHost(): ReactElement {
  const location = useRouterState({ select: (state) => state.resolvedLocation ?? state.location });
  const { tabs, activeId, show } = useOpened();
  useLayoutEffect(() => {
    const screen = screenAt(location.pathname);
    if (screen !== undefined && screen.layout === 'admin') show(screen, location.search as SearchValues);
  }, [location, show]);
  useScrollOf(activeId);
  useDocumentTitle(tabs.find((tab) => tab.id === activeId));
  return (
    <div className={classes.page}>
      {tabs.map((tab) => (
        <Activity key={`${tab.id}#${tab.generation}`} mode={tab.id === activeId ? 'visible' : 'hidden'}>
          <div>
            <OpenedPage tab={tab} active={tab.id === activeId} />
          </div>
        </Activity>
      ))}
    </div>
  );
}

function OpenedPage({ tab, active }: { tab: OpenedTab; active: boolean }): ReactElement {
  const go = useGo();
  const setDetail = useOpened((state) => state.setDetail);
  const { id, screen, search } = tab;
  const Page = pageOf(screen);
  const context = useMemo<Tab>(
    () => ({
      search,
      setSearch: (change, how = 'replace') => {
        if (active) go(screen.path, { ...search, ...change }, { replace: how === 'replace' });
      },
      setDetail: (detail) => setDetail(id, detail),
    }),
    [search, active, screen, go, setDetail, id],
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

function useDocumentTitle(tab: OpenedTab | undefined): void {
  const { t } = useTranslation();
  const product = t('base:product');
  const title = tab === undefined ? '' : tab.detail || t(tab.screen.titleKey);
  useEffect(() => {
    document.title = title === '' ? product : `${title} · ${product}`;
  }, [title, product]);
}
