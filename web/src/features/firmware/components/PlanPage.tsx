import { Alert, Button, Group, Text } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isNotFound } from '@/api/errors';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import { PermButton } from '@/components/permission';
import type DrawForm from '@/components/resource/ResourceForm';
import type { Editing } from '@/components/resource/ResourceForm';
import { Trouble } from '@/components/Trouble';
import { useRemove } from '@/components/resource/useRemove';
import { useTab } from '@/lib/tab';
import { deletePlan, MAY_UPGRADE, planQuery, PLANS, previewQuery } from '../api';
import type { PlanDetail, PlanRow } from '../api';
import classes from '../firmware.module.css';
import { stateParts } from '../steps';
import { PlanGateways } from './PlanGateways';
import { whyKept } from './PlanList';
import { PlanSteps } from './PlanSteps';
import { PreviewPanel } from './PreviewPanel';
import { StepBar, StepLegend } from './StepBar';
import { usePlanForm } from './usePlanForm';
import { PlanStateText, usePlanWords } from './usePlanWords';
import { WaveTable } from './WaveTable';

/** lazy() knows no type parameters. */
const ResourceForm = lazy(() => import('@/components/resource/ResourceForm')) as unknown as typeof DrawForm;

interface Props {
  id: number;
  onOpen: (id: number) => void;
  onBack: () => void;
}

/** A plan: how far it is, what holds it up, what can be done, and each of its gateways. */
export default function PlanPage({ id, onOpen, onBack }: Props): ReactElement {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(planQuery(id));
  if (isNotFound(error)) {
    return (
      <section className={classes.panel}>
        <Empty
          title={t('base:refusal.not_found.firmware_plan')}
          text={t('firmware:plan.goneText')}
          action={
            <Button variant="default" onClick={onBack}>
              {t('firmware:plan.all')}
            </Button>
          }
        />
      </section>
    );
  }
  if (data === undefined) {
    return (
      <section className={classes.panel}>
        {error === null ? <PageSkeleton /> : <Trouble error={error} onRetry={() => void refetch()} />}
      </section>
    );
  }
  return <Loaded plan={data} onOpen={onOpen} onBack={onBack} />;
}

function Loaded({ plan, onOpen, onBack }: Omit<Props, 'id'> & { plan: PlanDetail }): ReactElement {
  const { search, setSearch, setDetail } = useTab();
  const words = usePlanWords();
  const title = words.title(plan);
  const { data: preview, error, refetch } = useQuery(previewQuery(plan));
  useEffect(() => {
    setDetail(title);
    return () => setDetail('');
    // setDetail changes with every step of the address.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [title]);
  const [step, wave] = [search.step ?? '', /^\d{1,5}$/.test(search.wave ?? '') ? (search.wave ?? '') : ''];
  const parts = stateParts(plan.steps);
  const isPlanned = parts.length > 0;
  return (
    <>
      <section className={classes.panel} data-testid="plan-page" data-state={plan.state}>
        <Head plan={plan} title={title} onOpen={onOpen} onBack={onBack} />
        <div className={classes.body}>
          <PlanSteps plan={plan} preview={preview} />
          <Notices plan={plan} />
          {isPlanned ? (
            <div style={{ marginTop: 14 }}>
              <StepBar parts={parts} />
              <StepLegend parts={parts} chosen={step} onChoose={(name) => setSearch({ step: name || undefined })} />
            </div>
          ) : null}
          <Facts plan={plan} />
        </div>
      </section>
      {plan.actions.includes('start') ? (
        <PreviewPanel preview={preview} error={error} onRetry={() => void refetch()} isMore={isPlanned} />
      ) : null}
      {isPlanned ? (
        <>
          <WaveTable plan={plan} chosen={wave} onChoose={(number) => setSearch({ wave: number || undefined })} />
          <PlanGateways
            plan={plan}
            step={step}
            wave={wave}
            onStep={(name) => setSearch({ step: name || undefined })}
            onClear={() => setSearch({ step: undefined, wave: undefined })}
          />
        </>
      ) : null}
    </>
  );
}

function Head({ plan, title, onOpen, onBack }: Omit<Props, 'id'> & { plan: PlanDetail; title: string }): ReactElement {
  const { t } = useTranslation();
  const [editing, setEditing] = useState<Editing<PlanRow> | null>(null);
  const form = usePlanForm(useCallback((made: PlanDetail) => onOpen(made.id), [onOpen]));
  const remove = {
    may: MAY_UPGRADE,
    what: () => title,
    impact: () => t('firmware:impact.plan'),
    call: async (row: PlanRow) => {
      await deletePlan(row.id);
      onBack();
    },
  };
  const [askRemove, dialog] = useRemove(remove, PLANS);
  return (
    <header className={classes.head}>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconArrowLeft size={16} />}
        onClick={onBack}
        data-testid="plan-back"
      >
        {t('firmware:plan.all')}
      </Button>
      <h1>{title}</h1>
      <PlanStateText plan={plan} />
      <Group gap={6}>
        <PermButton
          asks={MAY_UPGRADE}
          why={plan.actions.includes('change') ? '' : t('firmware:why.running')}
          size="compact-sm"
          variant="default"
          onClick={() => setEditing({ mode: 'edit', row: plan })}
          data-testid="plan-edit"
        >
          {t('firmware:plan.change')}
        </PermButton>
        <PermButton
          asks={MAY_UPGRADE}
          size="compact-sm"
          variant="default"
          onClick={() => setEditing({ mode: 'copy', row: plan })}
          data-testid="plan-copy"
        >
          {t('firmware:plan.copy')}
        </PermButton>
        <PermButton
          asks={MAY_UPGRADE}
          why={whyKept(plan, t)}
          size="compact-sm"
          variant="default"
          onClick={() => void askRemove(plan)}
          data-testid="plan-remove"
        >
          {t('base:confirm.delete')}
        </PermButton>
      </Group>
      {editing === null ? null : (
        <Suspense fallback={null}>
          <ResourceForm shape={form} editing={editing} queryKey={PLANS} onClose={() => setEditing(null)} />
        </Suspense>
      )}
      {dialog}
    </header>
  );
}

/** What holds a plan up, and what to do about it. */
function Notices({ plan }: { plan: PlanDetail }): ReactElement {
  const { t } = useTranslation();
  const reason = usePlanWords().reason(plan);
  const { state, rules, is_back } = plan;
  const notices: readonly (readonly [id: string, colour: string, text: ReactNode])[] = [
    ...(reason === ''
      ? []
      : [['reason', 'yellow', t(`firmware:notice.${state === 'paused' ? 'paused' : 'back'}`, { reason })] as const]),
    ...(rules.approval === true && !is_back
      ? [
          plan.approved
            ? (['approved', 'steel', t('firmware:notice.approved', { user: plan.approved_name })] as const)
            : (['approval', 'yellow', t('firmware:notice.approval', { user: plan.changed_name })] as const),
        ]
      : []),
  ];
  return (
    <>
      {notices.map(([id, colour, text]) => (
        <Alert key={id} color={colour} mt="sm" data-testid={`plan-notice-${id}`}>
          <Text size="sm">{text}</Text>
        </Alert>
      ))}
    </>
  );
}

function Facts({ plan }: { plan: PlanDetail }): ReactElement {
  const { t } = useTranslation();
  const words = usePlanWords();
  const { rules, file } = plan;
  const percent = (share: number | undefined): string => `${Math.round((share ?? 0) * 1000) / 10} %`;
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['firmware_id', words.file(plan)],
    ['upgrade_type', t(`firmware:type.${file.upgrade_type}`)],
    ['range', words.range(plan)],
    ['created_after_ms', words.createdAfter(plan)],
    ['scope', words.scope(plan)],
    ['plan_control_count', words.controlCount(plan)],
    ['success_share', percent(rules.success_share)],
    ['error_share', percent(rules.error_share)],
    ['on_error', t(`firmware:onError.${rules.on_error ?? 'pause'}`)],
    ['at_once', String(rules.at_once ?? '')],
    ['watch_s', (rules.watch_s ?? 0) === 0 ? t('firmware:notWatched') : words.seconds(rules.watch_s ?? 0)],
    ['window', words.window(plan)],
    ['started_ms', words.time(plan.started_ms)],
    ['finished_ms', words.time(plan.finished_ms)],
    ['user_name', plan.user_name || '-'],
    ['changed_ms', `${words.time(plan.changed_ms)} ${plan.changed_name}`],
  ];
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name} data-fact={name}>
          <dt>{t(`firmware:field.${name}`)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
