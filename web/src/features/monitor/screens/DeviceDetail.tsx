import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import type { ComponentType, LazyExoticComponent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { ErrorBoundary } from '@/components/ErrorBoundary';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { useMay } from '@/lib/session';
import { useTab } from '@/lib/tab';
import { deviceQuery } from '../api';
import type { DeviceDetail as Device } from '../api';
import { DeviceHead } from '../components/DeviceHead';
import { useLiveDevices } from '../components/useLiveDevices';
import classes from '../monitor.module.css';

const LOADERS = {
  live: () => import('./LiveTab'),
  slaves: () => import('./SlavesTab'),
  chart: () => import('./LiveChartTab'),
  command: () => import('./CommandTab'),
  cmdlog: () => import('./CommandLogTab'),
  history: () => import('./HistoryTab'),
  info: () => import('./InfoTab'),
};

type TabName = keyof typeof LOADERS;
const TABS: Record<TabName, LazyExoticComponent<ComponentType>> = {
  live: lazy(LOADERS.live),
  slaves: lazy(LOADERS.slaves),
  chart: lazy(LOADERS.chart),
  command: lazy(LOADERS.command),
  cmdlog: lazy(LOADERS.cmdlog),
  history: lazy(LOADERS.history),
  info: lazy(LOADERS.info),
};
/** The first tab is on the screen by then. */
const LOAD_OTHERS_AFTER_MS = 2_000;
const NAMES = Object.keys(LOADERS) as TabName[];
/** Tabs that read the history, which has a permission of its own. */
const NEED_HISTORY = new Set<TabName>(['chart', 'history']);

export default function DeviceDetail(): ReactElement {
  const { t } = useTranslation();
  const { search } = useTab();
  const id = Number(search.device_id);
  if (!Number.isInteger(id) || id < 1) {
    return (
      <section className={classes.panel}>
        <Empty title={t('monitor:detail.badAddress')} text={t('monitor:detail.badAddressText')} />
      </section>
    );
  }
  return <Loaded id={id} />;
}

function Loaded({ id }: { id: number }): ReactElement {
  const query = useQuery(deviceQuery(id));
  const { setDetail } = useTab();
  const title = query.data?.device_title ?? '';
  useLiveDevices([id]);
  useEffect(() => {
    if (title !== '') setDetail(title);
    // A tab's title is set once per name; setDetail changes with every step of the address.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [title]);
  if (query.data === undefined) {
    return (
      <section className={classes.panel}>
        {query.error === null ? <PageSkeleton /> : <Trouble error={query.error} onRetry={() => void query.refetch()} />}
      </section>
    );
  }
  return <Page device={query.data} />;
}

/** Every tab can be opened while the cloud is away. */
function useOtherTabs(): void {
  useEffect(() => {
    const timer = setTimeout(() => void Promise.allSettled(Object.values(LOADERS).map((load) => load())), LOAD_OTHERS_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
}

function Page({ device }: { device: Device }): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const mayHistory = useMay('HisData');
  const names = NAMES.filter((name) => mayHistory || !NEED_HISTORY.has(name));
  const active = names.find((name) => name === search.tab) ?? 'live';
  const Body = TABS[active];
  useOtherTabs();
  return (
    <>
      <DeviceHead device={device} />
      <section className={classes.panel}>
        <Tabs
          value={active}
          onChange={(tab) => setSearch({ tab: tab ?? undefined }, 'push')}
          keepMounted={false}
          activateTabWithKeyboard={false}
        >
          <Tabs.List className={classes.tabs} style={{ flexWrap: 'nowrap' }}>
            {names.map((name) => (
              <Tabs.Tab key={name} value={name} data-testid={`tab-${name}`} style={{ flex: 'none' }}>
                {t(`monitor:tab.${name}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {names.map((name) => (
            <Tabs.Panel key={name} value={name}>
              {name === active ? (
                <ErrorBoundary info={`deviceDetail/${name}`}>
                  <Suspense fallback={<PageSkeleton />}>
                    <Body />
                  </Suspense>
                </ErrorBoundary>
              ) : null}
            </Tabs.Panel>
          ))}
        </Tabs>
      </section>
    </>
  );
}
