import { Button } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { FormMode, Resource } from '@/components/resource/resource';
import { ruleText } from '@/components/ruleText';
import type { ApiForm } from '@/components/form/useApiForm';
import { Trouble } from '@/components/Trouble';
import { useTab } from '@/lib/tab';
import { changePlan, createPlan, deletePlan, groupsQuery, loadPlans, PLANS } from '../api';
import type { PlanRow } from '../api';
import { bodyOf, draftOf, NAMES, NO_PLAN, planFaults } from '../model/plans';
import type { PlanDraft } from '../model/plans';
import type { Group } from '../model/schema';
import { usePlanColumns } from './usePlanColumns';

const PlanFields = lazy(() => import('./PlanFields'));
const PlanDrawer = lazy(() => import('./PlanDrawer'));

const NO_TITLES: ReadonlyMap<number, string> = new Map();

/** Plans that bring a change of parameters to many gateways; plan=ID of the address opens one. */
export default function PlanList(): ReactElement {
  const groups = useQuery(groupsQuery);
  if (groups.data !== undefined) return <Plans groups={groups.data} />;
  return groups.error === null ? (
    <PageSkeleton />
  ) : (
    <Trouble error={groups.error} onRetry={() => void groups.refetch()} />
  );
}

function Plans({ groups }: { groups: readonly Group[] }): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const columns = usePlanColumns(groups);
  const open = useCallback(
    (row: PlanRow) => setSearch({ plan: row.id, view: undefined, job: undefined }, 'push'),
    [setSearch],
  );
  const rowActions = useCallback(
    (row: PlanRow) => (
      <Button
        size="compact-sm"
        variant="light"
        leftSection={<IconPlayerPlay size={14} />}
        onClick={() => open(row)}
        data-testid="plan-open"
      >
        {t('parameters:plan.preview')}
      </Button>
    ),
    [open, t],
  );
  const resource = useMemo<Resource<PlanRow, PlanDraft>>(() => {
    const drawFields = (form: ApiForm<PlanDraft>, mode: FormMode, row: PlanRow | null): ReactElement => (
      <PlanFields form={form} groups={groups} before={mode === 'edit' ? (row?.version ?? 1) : 0} />
    );
    const faultsOf = (draft: PlanDraft): Record<string, string> =>
      Object.fromEntries(
        planFaults(groups, draft, 0).map(({ path, word, rule = '' }) => [
          path,
          word === undefined ? ruleText(rule) : t(`parameters:plan.fault.${word}`),
        ]),
      );
    return {
      name: 'parameter-plans',
      title: t('parameters:plan.list'),
      queryKey: PLANS,
      load: loadPlans,
      rowId: (row) => row.id,
      columns,
      filters: [{ kind: 'search', name: 'search', label: t('parameters:plan.search') }],
      onOpen: open,
      rowActions,
      form: {
        empty: NO_PLAN,
        of: (row) => draftOf(groups, row, NO_TITLES),
        copy: (row) => ({
          ...draftOf(groups, row, NO_TITLES),
          title: t('parameters:plan.copyOf', { title: row.title }),
          version: row.version ?? 1,
        }),
        names: NAMES,
        words: { create: t('parameters:plan.add'), edit: t('parameters:plan.edit') },
        fields: drawFields,
        validate: faultsOf,
        create: (draft) => createPlan(bodyOf(groups, draft)),
        update: (row, draft) => changePlan(row.id, bodyOf(groups, draft)),
      },
      remove: {
        what: (row) => row.title,
        call: (row) => deletePlan(row.id),
        impact: () => t('parameters:plan.impact'),
      },
      empty: { title: t('parameters:plan.none'), text: t('parameters:plan.noneText') },
    };
  }, [t, groups, columns, open, rowActions]);
  const plan = Number(search.plan);
  return (
    <>
      <ResourcePage resource={resource} />
      {Number.isInteger(plan) && plan > 0 ? (
        <Suspense fallback={null}>
          <PlanDrawer
            key={plan}
            id={plan}
            groups={groups}
            onClose={() => setSearch({ plan: undefined, view: undefined, job: undefined })}
          />
        </Suspense>
      ) : null}
    </>
  );
}
