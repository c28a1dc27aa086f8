import { Tabs } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import { useTab } from '@/lib/tab';
import { GatewayList } from '../components/GatewayList';

const GatewayEditor = lazy(() => import('../components/GatewayEditor'));
const PlanList = lazy(() => import('../components/PlanList'));

const TABS = ['gateways', 'plans'] as const;
/** What a list has put into the address is of no other list. */
const NOTHING = {
  page: undefined,
  search: undefined,
  status: undefined,
  project: undefined,
  sort: undefined,
  plan: undefined,
  view: undefined,
  job: undefined,
};

/** Gateways with their parameters, and the plans that bring parameters to many; gateway=ID opens one. */
export default function OtaGateways(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const gateway = Number(search.gateway);
  if (Number.isInteger(gateway) && gateway > 0)
    return (
      <Suspense fallback={<PageSkeleton />}>
        <GatewayEditor key={gateway} id={gateway} />
      </Suspense>
    );
  return (
    <Tabs
      value={TABS.find((tab) => tab === search.tab) ?? TABS[0]}
      onChange={(tab) => setSearch({ ...NOTHING, tab: tab ?? undefined })}
      keepMounted={false}
      style={{ display: 'flex', flexDirection: 'column', height: '100%', minHeight: 0 }}
    >
      <Tabs.List>
        {TABS.map((tab) => (
          <Tabs.Tab key={tab} value={tab} data-testid={`ota-${tab}`}>
            {t(`parameters:tab.${tab}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="gateways" style={{ flex: 1, minHeight: 0 }}>
        <GatewayList />
      </Tabs.Panel>
      <Tabs.Panel value="plans" style={{ flex: 1, minHeight: 0 }}>
        <Suspense fallback={<PageSkeleton />}>
          <PlanList />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}
