import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { deletePlan, loadPlans, MAY_UPGRADE, PLAN_STATES, PLANS } from '../api';
import type { PlanDetail, PlanRow } from '../api';
import type { PlanDraft } from '../draft';
import { usePlanColumns } from './usePlanColumns';
import { usePlanForm } from './usePlanForm';
import { usePlanWords } from './usePlanWords';

const LIST_MS = 10_000;

/** Firmware plans; one that is made or opened has a page of its own. */
export function PlanList({ onOpen }: { onOpen: (id: number) => void }): ReactElement {
  const { t } = useTranslation();
  const columns = usePlanColumns();
  const words = usePlanWords();
  useFreshList();
  const form = usePlanForm(useCallback((plan: PlanDetail) => onOpen(plan.id), [onOpen]));
  const filters = useMemo<readonly Filter[]>(
    () => [
      { kind: 'search', name: 'search', label: t('firmware:plan.search') },
      {
        kind: 'select',
        name: 'state',
        label: t('firmware:field.state'),
        options: PLAN_STATES.map((value) => ({ value, label: t(`firmware:planState.${value}`) })),
      },
    ],
    [t],
  );
  const resource = useMemo<Resource<PlanRow, PlanDraft>>(
    () => ({
      name: 'firmware-plans',
      title: t('firmware:title'),
      queryKey: PLANS,
      load: loadPlans,
      rowId: (row) => row.id,
      columns,
      filters,
      form,
      onOpen: (row) => onOpen(row.id),
      remove: {
        may: MAY_UPGRADE,
        what: words.title,
        call: (row) => deletePlan(row.id),
        impact: () => t('firmware:impact.plan'),
        whyNot: (row) => whyKept(row, t),
      },
      empty: { title: t('firmware:plan.none'), text: t('firmware:plan.noneText') },
    }),
    [t, columns, filters, form, words, onOpen],
  );
  return <ResourcePage resource={resource} />;
}

/** Rollouts go on while somebody looks at their list. */
function useFreshList(): void {
  const cache = useQueryClient();
  useEffect(() => {
    const timer = setInterval(() => void cache.invalidateQueries({ queryKey: PLANS }), LIST_MS);
    return () => clearInterval(timer);
  }, [cache]);
}

/** Why a plan cannot be deleted now; '' when it can. */
export function whyKept(
  { actions, counts }: Pick<PlanRow, 'actions' | 'counts'>,
  t: (key: 'firmware:why.cancelFirst' | 'firmware:why.underWay') => string,
): string {
  if (!actions.includes('delete')) return t('firmware:why.cancelFirst');
  return (counts.under_way ?? 0) + (counts.watching ?? 0) > 0 ? t('firmware:why.underWay') : '';
}
