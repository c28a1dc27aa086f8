import { Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { showError, showSuccess } from '@/components/notices';
import { PermButton } from '@/components/permission';
import { useConfirm } from '@/components/useConfirm';
import { doStep, MAY_UPGRADE, planQuery, PLANS, previewQuery, STEPS } from '../api';
import type { PlanDetail, PlanPreview, Step } from '../api';
import classes from '../firmware.module.css';
import { Hindrances } from './Hindrances';
import { usePlanWords } from './usePlanWords';

/** Asked with a red button: it takes something away, or touches many gateways against their direction. */
const DANGER: ReadonlySet<Step> = new Set(['rollback', 'cancel']);
/** The one that goes on is the filled button. */
const MAIN: ReadonlySet<Step> = new Set(['approve', 'start', 'resume']);

interface Props {
  plan: PlanDetail;
  preview: PlanPreview | undefined;
}

/** What can be done with a rollout now; each says what it will do to how many gateways before it is done. */
export function PlanSteps({ plan, preview }: Props): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [ask, dialog] = useConfirm();
  const why = useWhyNot(plan);
  const texts = useStepTexts();
  const doing = useMutation({
    mutationFn: (step: Step) => doStep(plan.id, step),
    onSuccess: (detail, step) => {
      cache.setQueryData(planQuery(plan.id).queryKey, detail);
      showSuccess(t(`firmware:done.${step}`));
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: PLANS }),
  });
  const press = async (step: Step): Promise<void> => {
    let seen = preview;
    if (step === 'start') {
      try {
        seen = await cache.fetchQuery({ ...previewQuery(plan), staleTime: 0 });
      } catch (error) {
        return showError(error);
      }
    }
    const isSure = await ask({
      title: t(`firmware:step.${step}`),
      text: (
        <div className={classes.confirm}>
          {texts(step, plan, seen).map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      ),
      confirm: t(`firmware:step.${step}`),
      danger: DANGER.has(step),
    });
    if (isSure) doing.mutate(step);
  };
  return (
    <>
      <Group gap="xs" data-testid="plan-actions">
        {STEPS.filter((step) => plan.actions.includes(step)).map((step) => (
          <PermButton
            key={step}
            asks={MAY_UPGRADE}
            why={why(step)}
            size="sm"
            variant={MAIN.has(step) ? 'filled' : 'default'}
            color={DANGER.has(step) ? 'red' : undefined}
            loading={doing.isPending && doing.variables === step}
            disabled={doing.isPending && doing.variables !== step}
            onClick={() => void press(step)}
            data-testid={`plan-${step}`}
          >
            {t(`firmware:step.${step}`)}
          </PermButton>
        ))}
      </Group>
      <Hindrances plan={plan} />
      {dialog}
    </>
  );
}

/** Why the API would refuse a step now; '' when it would not. */
function useWhyNot({ hindrances }: PlanDetail): (step: Step) => string {
  const { t } = useTranslation();
  return (step) => {
    const found = hindrances.find(({ actions }) => actions.includes(step));
    return found === undefined ? '' : t(`firmware:hindrance.${found.code}`);
  };
}

/** What a step will do, in sentences. */
function useStepTexts(): (step: Step, plan: PlanDetail, preview: PlanPreview | undefined) => string[] {
  const { t } = useTranslation();
  const words = usePlanWords();
  return (step, plan, preview) => {
    const { counts, rules } = plan;
    const [waiting, underWay] = [counts.waiting ?? 0, counts.under_way ?? 0];
    const say = (when: boolean, ...texts: string[]): string[] => (when ? texts : []);
    switch (step) {
      case 'approve':
        return [
          t('firmware:confirm.approve', { file: words.file(plan), range: words.range(plan), user: plan.changed_name }),
        ];
      case 'start': {
        const { total = 0, offline = 0, waves = [], skipped = [] } = preview ?? {};
        const left = skipped.reduce((sum, { count }) => sum + count, 0);
        return [
          t('firmware:confirm.start', { count: total, file: words.file(plan) }),
          ...say(waves.length > 1, t('firmware:confirm.firstWave', { count: waves[0] ?? 0, waves: waves.length })),
          ...say(offline > 0, t('firmware:confirm.offline', { count: offline })),
          ...say(left > 0, t('firmware:confirm.leftOut', { count: left })),
          t(`firmware:confirm.onError.${rules.on_error ?? 'pause'}`),
        ];
      }
      case 'pause':
        return [
          t('firmware:confirm.pause', { count: waiting }),
          ...say(underWay > 0, t('firmware:confirm.goOn', { count: underWay })),
        ];
      case 'resume':
        return [
          t('firmware:confirm.resume', { count: waiting }),
          ...say((counts.failed ?? 0) > 0, t('firmware:confirm.excuse', { count: counts.failed ?? 0 })),
        ];
      case 'retry':
        return [t('firmware:confirm.retry', { count: plan.to_retry }), t('firmware:confirm.retryOnly')];
      case 'rollback':
        return [
          t('firmware:confirm.rollback', { count: plan.to_go_back }),
          ...say(underWay > 0, t('firmware:confirm.rollbackLater', { count: underWay })),
          ...say(waiting > 0, t('firmware:confirm.nothingFor', { count: waiting })),
          t('firmware:confirm.rollbackLimits'),
        ];
      case 'cancel':
        return [
          t('firmware:confirm.cancel', { count: waiting }),
          ...say(underWay > 0, t('firmware:confirm.goOn', { count: underWay })),
        ];
    }
  };
}
