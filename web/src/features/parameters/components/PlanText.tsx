import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ScreenLink } from '@/components/ScreenLink';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import type { GatewayPlan } from '../api';
import { toneOfState } from '../model/results';
import { useResultWords } from '../useResultWords';

/** The parameter plan that asked a gateway last, and what came of it. */
export function PlanText({ plan }: { plan: GatewayPlan }): ReactElement {
  const { t } = useTranslation();
  const result = useResultWords();
  return (
    <>
      <ScreenLink path="/ota/device" search={{ tab: 'plans', plan: plan.parameter_plan_id, view: 'results' }}>
        {t('parameters:plan.of', { title: plan.title, version: plan.version })}
      </ScreenLink>{' '}
      <ToneText tone={toneOfState(plan.state, plan.code)}>{result(plan.state, plan.code)}</ToneText>{' '}
      <span className="number">{formatDateTime(plan.begun_ms)}</span>
    </>
  );
}
