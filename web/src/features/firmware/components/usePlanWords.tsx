import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import { formatInterval } from '@/lib/interval';
import { formatDateTime } from '@/lib/time';
import type { PlanDetail, PlanRow } from '../api';
import { reasonKey } from '../codes';
import { isOverMidnight } from '../draft';
import { PLAN_TONES } from '../steps';

/** Named in a sentence before it is cut off. */
const MAX_NAMED = 5;

export interface PlanWords {
  /** Plan 12 · first gateways */
  title: (plan: Pick<PlanRow, 'name' | 'title'>) => string;
  state: (plan: Pick<PlanRow, 'state' | 'is_back'>) => string;
  /** Why it is paused, or goes back; '' for no reason. */
  reason: (plan: Pick<PlanRow, 'state' | 'reason' | 'is_back'>) => string;
  file: (plan: Pick<PlanRow, 'file'>) => string;
  scope: (plan: Pick<PlanRow, 'scope'>) => string;
  /** Of scope 3: not applicable. */
  controlCount: (plan: Pick<PlanRow, 'plan_control_count'>) => string;
  range: (plan: PlanRow | PlanDetail) => string;
  createdAfter: (plan: Pick<PlanRow, 'created_after_ms'>) => string;
  window: (plan: Pick<PlanRow, 'rules'>) => string;
  time: (ms: number | null) => string;
  seconds: (seconds: number) => string;
}

export function usePlanWords(): PlanWords {
  const { t } = useTranslation();
  return useMemo(() => {
    const time = (ms: number | null): string => (ms === null ? '-' : formatDateTime(ms));
    return {
      title: ({ name, title }) => {
        const number = t('firmware:planNumber', { number: name });
        return title === '' ? number : `${number} · ${title}`;
      },
      state: ({ state, is_back }) =>
        is_back && state !== 'draft' ? t(`firmware:backState.${state}`) : t(`firmware:planState.${state}`),
      reason: ({ state, reason, is_back }) => {
        if (reason === '' || (state !== 'paused' && !is_back)) return '';
        const key = reasonKey(reason);
        const words = key === null ? reason : t(key);
        return is_back && state === 'running' ? t('firmware:reason.turnedBack', { why: words }) : words;
      },
      file: ({ file }) => `${file.name} ${file.version_text} (${file.version})`,
      scope: ({ scope }) => t(`firmware:scope.${scope}`),
      controlCount: ({ plan_control_count }) =>
        plan_control_count === null ? t('firmware:notApplicable') : String(plan_control_count),
      range: (plan) => {
        const all = plan.range === 'project' ? plan.project_ids : plan.device_ids;
        const count = t(`firmware:rangeCount.${plan.range}`, { count: all.length });
        const titles = ('targets' in plan ? plan.targets : []).map(({ title }) => title).slice(0, MAX_NAMED);
        const more = titles.length < all.length && titles.length > 0 ? ' ...' : '';
        return titles.length === 0 ? count : `${count} (${titles.join(', ')}${more})`;
      },
      createdAfter: ({ created_after_ms }) =>
        created_after_ms === null ? t('firmware:anyTime') : formatDateTime(created_after_ms),
      window: ({ rules: { window, zone = '' } }) => {
        if (window === null || window === undefined) return t('firmware:noWindow');
        const { begin, end } = window;
        const key = isOverMidnight({ window_begin: begin, window_end: end }) ? 'overMidnight' : 'sameDay';
        return t(`firmware:windowText.${key}`, {
          begin,
          end,
          zone: zone === '' ? t('firmware:installationZone') : zone,
        });
      },
      time,
      seconds: (seconds) => formatInterval(seconds, 'smhd'),
    };
  }, [t]);
}

export function PlanStateText({ plan }: { plan: Pick<PlanRow, 'state' | 'is_back'> }): ReactElement {
  const words = usePlanWords();
  return <ToneText tone={PLAN_TONES[plan.state]}>{words.state(plan)}</ToneText>;
}
