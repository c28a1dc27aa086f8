import { Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorBoundary } from '@/components/ErrorBoundary';
import { PageSkeleton } from '@/components/PageSkeleton';
import { useGo } from '@/lib/navigation';
import type { Screen, SearchValues } from '@/lib/screens';
import { TabContext } from '@/lib/tab';
import type { Tab } from '@/lib/tab';
import { pageOf } from './pageOf';
import { useDocumentTitle } from './useDocumentTitle';

interface Props {
  screen: Screen;
  path: string;
  search: SearchValues;
}

/** The one page of a wall screen. */
export function WallPage({ screen, path, search }: Props): ReactElement {
  const { t } = useTranslation();
  const go = useGo();
  const [detail, setDetail] = useState('');
  useDocumentTitle(detail || t(screen.titleKey));
  const Page = pageOf(screen);
  const context = useMemo<Tab>(
    () => ({
      id: '',
      search,
      setSearch: (change, how = 'replace') => go(path, { ...search, ...change }, { replace: how === 'replace' }),
      leave: go,
      setDetail,
    }),
    [search, path, go],
  );
  return (
    <TabContext value={context}>
      <ErrorBoundary info={screen.path}>
        <Suspense fallback={<PageSkeleton />}>
          <div data-screen={screen.path}>
            <Page />
          </div>
        </Suspense>
      </ErrorBoundary>
    </TabContext>
  );
}
