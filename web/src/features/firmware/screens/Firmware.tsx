import { Tabs } from '@mantine/core';
import { lazy, Suspense, useCallback } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import { useTab } from '@/lib/tab';
import { PlanList } from '../components/PlanList';
import classes from '../firmware.module.css';

const PlanPage = lazy(() => import('../components/PlanPage'));
const FileList = lazy(() => import('../components/FileList'));
const KeyList = lazy(() => import('../components/KeyList'));

const TABS = ['plans', 'files', 'keys'] as const;

/** What a list has put into the address is of no other list. */
const NOTHING = { page: undefined, search: undefined, state: undefined, type: undefined };
const NO_PLAN = { plan: undefined, step: undefined, wave: undefined };

/** Plans of firmware, files and keys; plan=ID of the address is the page of one plan. */
export default function Firmware(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const id = Number(search.plan);
  const open = useCallback((plan: number) => setSearch({ ...NO_PLAN, plan, tab: undefined }, 'push'), [setSearch]);
  if (Number.isInteger(id) && id > 0) {
    return (
      <Suspense fallback={<PageSkeleton />}>
        <PlanPage key={id} id={id} onOpen={open} onBack={() => setSearch(NO_PLAN, 'push')} />
      </Suspense>
    );
  }
  const active = TABS.find((tab) => tab === search.tab) ?? TABS[0];
  return (
    <Tabs
      value={active}
      onChange={(tab) => setSearch({ ...NOTHING, tab: tab ?? undefined })}
      keepMounted={false}
      className={classes.tabs}
    >
      <Tabs.List>
        {TABS.map((tab) => (
          <Tabs.Tab key={tab} value={tab} data-testid={`firmware-${tab}`}>
            {t(`firmware:tab.${tab}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={active} style={{ flex: 1, minHeight: 0 }}>
        <Suspense fallback={<PageSkeleton />}>
          {active === 'plans' ? <PlanList onOpen={open} /> : active === 'files' ? <FileList /> : <KeyList />}
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}
