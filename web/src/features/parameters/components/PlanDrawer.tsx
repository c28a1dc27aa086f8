import { Drawer, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import { usePhone } from '@/components/table/usePhone';
import { Trouble } from '@/components/Trouble';
import { useTab } from '@/lib/tab';
import { planQuery } from '../api';
import type { Group } from '../model/schema';
import { PlanPreview } from './PlanPreview';
import { PlanResults } from './PlanResults';
import { RunForm } from './RunForm';

const VIEWS = ['preview', 'results'] as const;

interface Props {
  id: number;
  groups: readonly Group[];
  onClose: () => void;
}

/** A plan: what it would do, running it, and what came of it. View and job stand in the address. */
export default function PlanDrawer({ id, groups, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const phone = usePhone();
  const { search, setSearch } = useTab();
  const { data: plan, error, refetch } = useQuery(planQuery(id));
  /** Gateways that are tried again; null while the whole plan is looked at. */
  const [again, setAgain] = useState<readonly number[] | null>(null);
  const view = VIEWS.find((name) => name === search.view) ?? VIEWS[0];
  const job = Number(search.job);
  const show = (name: string | null): void => setSearch({ view: name ?? undefined });
  const onStarted = (started: number): void => {
    setAgain(null);
    setSearch({ view: 'results', job: started });
  };
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={phone ? '100%' : 820}
      title={
        plan === undefined
          ? t('parameters:plan.one')
          : t('parameters:plan.of', { title: plan.title, version: plan.version })
      }
      closeButtonProps={{ 'aria-label': t('base:action.close') }}
      data-testid="parameter-plan"
    >
      {plan === undefined ? (
        error === null ? (
          <PageSkeleton />
        ) : (
          <Trouble error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Tabs value={view} onChange={show} keepMounted={false}>
          <Tabs.List mb="sm">
            {VIEWS.map((name) => (
              <Tabs.Tab key={name} value={name} data-testid={`plan-${name}`}>
                {t(`parameters:plan.view.${name}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="preview">
            <RunForm plan={plan} only={null} onStarted={onStarted} />
            <PlanPreview plan={plan} groups={groups} />
          </Tabs.Panel>
          <Tabs.Panel value="results">
            {again === null ? null : (
              <RunForm plan={plan} only={again} onStarted={onStarted} onCancel={() => setAgain(null)} />
            )}
            <PlanResults
              plan={plan}
              groups={groups}
              jobId={Number.isInteger(job) && job > 0 ? job : null}
              onRetry={setAgain}
            />
          </Tabs.Panel>
        </Tabs>
      )}
    </Drawer>
  );
}
