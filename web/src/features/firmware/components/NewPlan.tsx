import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCloudUpload } from '@tabler/icons-react';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePerm } from '@/components/permission';
import type DrawForm from '@/components/resource/ResourceForm';
import { useGo } from '@/lib/navigation';
import { MAY_UPGRADE, PLANS } from '../api';
import type { PlanDetail } from '../api';
import type { PlanDraft } from '../draft';
import { usePlanForm } from './usePlanForm';

/** lazy() knows no type parameters. */
const ResourceForm = lazy(() => import('@/components/resource/ResourceForm')) as unknown as typeof DrawForm;

interface Props {
  /** What the plan is made of, for who does not see the row. */
  what: string;
  preset: () => Partial<PlanDraft>;
}

/** Begins a plan with what a row says; the new plan is opened. For who may not upgrade a button that is off. */
export function NewPlan({ what, preset }: Props): ReactElement {
  const { t } = useTranslation();
  const may = usePerm(MAY_UPGRADE);
  const [draft, setDraft] = useState<Partial<PlanDraft> | null>(null);
  const label = may ? t('firmware:plan.addFor', { what }) : t('base:perm.missing');
  return (
    <>
      <Tooltip label={label}>
        <ActionIcon
          variant="subtle"
          color="gray"
          data-disabled={may ? undefined : true}
          aria-disabled={!may}
          onClick={() => may && setDraft(preset())}
          aria-label={t('firmware:plan.addFor', { what })}
          data-testid="plan-for"
        >
          <IconCloudUpload size={16} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      {draft === null ? null : <Form preset={draft} onClose={() => setDraft(null)} />}
    </>
  );
}

function Form({ preset, onClose }: { preset: Partial<PlanDraft>; onClose: () => void }): ReactElement {
  const go = useGo();
  const form = usePlanForm(
    useCallback((plan: PlanDetail) => go('/ota/firmware', { plan: plan.id }), [go]),
    preset,
  );
  const editing = useMemo(() => ({ mode: 'create', row: null }) as const, []);
  return (
    <Suspense fallback={null}>
      <ResourceForm shape={form} editing={editing} queryKey={PLANS} onClose={onClose} />
    </Suspense>
  );
}
