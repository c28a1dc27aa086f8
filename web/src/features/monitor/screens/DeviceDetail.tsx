import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import type { ComponentType, LazyExoticComponent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { isNotFound } from '@/api/errors';
import { DeviceGone } from '@/blocks/devices/DeviceGone';
import { Empty } from '@/components/Empty';
import { ErrorBoundary } from '@/components/ErrorBoundary';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { mayOpenTab, otherDeviceTabs } from '@/lib/deviceTabs';
import type { DeviceTab } from '@/lib/deviceTabs';
import { deviceTitle } from '@/lib/deviceTitle';
import { useAccess } from '@/lib/session';
import { useTab } from '@/lib/tab';
import { deviceQuery } from '../api';
import type { DeviceDetail as Device } from '../api';
import { inOrder } from '../tabOrder';
import { DeviceHead } from '../components/DeviceHead';
import { TabStrip } from '../components/TabStrip';
import { useLiveDevices } from '../components/useLiveDevices';
import classes from '../monitor.module.css';

const later = (name: 'ScadaTab' | 'CameraTab') => async () => ({ default: (await import('./laterTabs'))[name] });

/** What the page has of its own. */
const OWN: readonly DeviceTab[] = [
  { name: 'slaves', titleKey: 'monitor:tab.slaves', load: () => import('./SlavesTab') },
  { name: 'scada', titleKey: 'monitor:tab.scada', pending: true, load: later('ScadaTab') },
  { name: 'live', titleKey: 'monitor:tab.live', load: () => import('./LiveTab') },
  { name: 'chart', titleKey: 'monitor:tab.chart', permission: 'HisData', load: () => import('./LiveChartTab') },
  { name: 'command', titleKey: 'monitor:tab.command', load: () => import('./CommandTab') },
  { name: 'cmdlog', titleKey: 'monitor:tab.cmdlog', load: () => import('./CommandLogTab') },
  { name: 'camera', titleKey: 'monitor:tab.camera', pending: true, load: later('CameraTab') },
  { name: 'history', titleKey: 'monitor:tab.history', permission: 'HisData', load: () => import('./HistoryTab') },
  { name: 'onoff', titleKey: 'monitor:tab.onoff', load: () => import('./OnOfflineTab') },
  { name: 'info', titleKey: 'monitor:tab.info', load: () => import('./InfoTab') },
];
const FIRST_SEEN = 'live';
const TABS = inOrder([...OWN, ...otherDeviceTabs()]);
const BODIES = new Map<string, LazyExoticComponent<ComponentType>>(TABS.map(({ name, load }) => [name, lazy(load)]));
/** The first tab is on the screen by then. */
const LOAD_OTHERS_AFTER_MS = 2_000;

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
  const title = query.data === undefined ? '' : deviceTitle(query.data);
  useLiveDevices([id]);
  useEffect(() => {
    if (title !== '') setDetail(title);
    // A tab's title is set once per name; setDetail changes with every step of the address.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [title]);
  if (isNotFound(query.error)) return <DeviceGone />;
  if (query.data === undefined) {
    return (
      <section className={classes.panel}>
        {query.error === null ? <PageSkeleton /> : <Trouble error={query.error} onRetry={() => void query.refetch()} />}
      </section>
    );
  }
  return <Page device={query.data} />;
}

/** Tabs that the user may open. */
function useAllowed(tabs: readonly DeviceTab[]): readonly DeviceTab[] {
  const access = useAccess();
  return tabs.filter((tab) => mayOpenTab(tab, access));
}

/** Every tab can be opened while the cloud is away. */
function useOtherTabs(): void {
  useEffect(() => {
    const timer = setTimeout(() => void Promise.allSettled(TABS.map(({ load }) => load())), LOAD_OTHERS_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
}

function Page({ device }: { device: Device }): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const visible = useAllowed(TABS);
  const active = visible.find(({ name }) => name === search.tab)?.name ?? FIRST_SEEN;
  const Body = BODIES.get(active);
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
          <TabStrip
            active={active}
            tabs={visible.map(({ name, titleKey }) => ({ name, title: t(titleKey) }))}
            onOpen={(tab) => setSearch({ tab }, 'push')}
          />
          {visible.map(({ name }) => (
            <Tabs.Panel key={name} value={name}>
              {name === active && Body !== undefined ? (
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
