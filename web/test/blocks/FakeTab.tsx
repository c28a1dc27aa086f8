import { useEffect, useMemo, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useSavedColumns } from '@/app/layout/useSavedColumns';
import { parseSearch, stringifySearch } from '@/lib/screens';
import { TabContext } from '@/lib/tab';
import type { Tab } from '@/lib/tab';

/** The address of the page of blocks, as an opened page of the portal has it. */
export function FakeTab({ leave, children }: { leave?: (path: string) => void; children: ReactNode }): ReactElement {
  useSavedColumns();
  const [search, setKnown] = useState(() => parseSearch(window.location.search));
  useEffect(() => {
    const onBack = (): void => setKnown(parseSearch(window.location.search));
    window.addEventListener('popstate', onBack);
    return () => window.removeEventListener('popstate', onBack);
  }, []);
  const tab = useMemo<Tab>(
    () => ({
      id: '',
      search,
      setSearch: (change, how = 'replace') => {
        const href = `${window.location.pathname}${stringifySearch({ ...search, ...change })}${window.location.hash}`;
        if (how === 'push') window.history.pushState(null, '', href);
        else window.history.replaceState(null, '', href);
        setKnown(parseSearch(window.location.search));
      },
      leave: (path) => leave?.(path),
      setDetail: () => undefined,
    }),
    [search, leave],
  );
  return <TabContext value={tab}>{children}</TabContext>;
}
