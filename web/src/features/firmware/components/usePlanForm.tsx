import { lazy, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResourceForm } from '@/components/resource/resource';
import { changePlan, createPlan, MAY_UPGRADE } from '../api';
import type { PlanDetail, PlanRow } from '../api';
import { draftFaults, LIMITS, NAMES, NO_PLAN, planBody, planDraft } from '../draft';
import type { Limited, PlanDraft } from '../draft';

const PlanFields = lazy(() => import('./PlanFields'));

/** The form of a plan. preset: what a new one begins with; onMade: there is one more. */
export function usePlanForm(
  onMade: (plan: PlanDetail) => void,
  preset?: Partial<PlanDraft>,
): ResourceForm<PlanRow, PlanDraft> {
  const { t } = useTranslation();
  return useMemo(() => {
    const unknown = (id: number): string => t('base:picker.unknown', { id });
    return {
      empty: { ...NO_PLAN, ...preset },
      of: (row) => planDraft(row, unknown),
      copy: (row) => ({ ...planDraft(row, unknown), name: '' }),
      names: NAMES,
      words: { create: t('firmware:plan.add'), edit: t('firmware:plan.edit') },
      mayCreate: MAY_UPGRADE,
      mayUpdate: MAY_UPGRADE,
      whyNotUpdate: (row) => (row.actions.includes('change') ? '' : t('firmware:why.running')),
      fields: (form, mode, row) => <PlanFields form={form} row={row} isFixed={mode === 'edit' && isStarted(row)} />,
      validate: (draft) =>
        Object.fromEntries(
          Object.entries(draftFaults(draft)).map(([name, fault]) => {
            const [min, max] = LIMITS[name as Limited] ?? [0, 0];
            return [name, t(`firmware:fault.${fault}`, { min, max })];
          }),
        ),
      create: (draft) => createPlan(planBody(draft)),
      update: (row, draft) => changePlan(row.id, planBody(draft)),
      onSaved: (answer, _draft, mode) => {
        if (mode !== 'edit') onMade(answer as PlanDetail);
      },
    };
  }, [t, onMade, preset]);
}

/** Its gateways and waves were made by what it said then. */
const isStarted = (row: PlanRow | null): boolean => row !== null && row.started_ms !== null;
