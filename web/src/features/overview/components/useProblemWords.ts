import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeWords } from '@/components/useTimeWords';
import { reasonKey, targetKey } from '@/lib/reasons';
import { formatClock } from '@/lib/time';
import type { Problem } from '../api';
import { shareText } from '../share';

/** Says no more than that the slave does not respond. */
const NO_ANSWER = 'no_answer';
const HOUR_MS = 3_600_000;
const STATES: ReadonlySet<string> = new Set(['refused', 'reverted', 'expired', 'networkError']);

interface Words {
  what: string;
  why: string;
}

/** What is wrong, and its cause. countedMs: of when missed reads are. */
export function useProblemWords(): (problem: Problem, countedMs: number | null) => Words {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  return useCallback(
    (problem, countedMs) => {
      const { kind, code = '', count = 0, alarms = 0, alarm, percent = null, hours_left: left = null } = problem;
      const slave = problem.slave_title || problem.slave || '';
      const key = reasonKey(code);
      const reason = key === null ? code : t(key);
      const ofTarget = targetKey(code);
      const because = code === NO_ANSWER ? '' : reason;
      const folded = [
        kind === 'gateway_offline' && count > 0 ? t('overview:problem.hides', { count }) : '',
        alarms > 0 ? t('overview:problem.alarms', { count: alarms }) : '',
      ].filter(Boolean);
      const why = (...parts: readonly string[]): string => [...parts, ...folded].filter(Boolean).join(' · ');
      switch (kind) {
        case 'alarm_open':
          return {
            what: t('overview:problem.alarm_open', {
              slave: slave && `${slave} `,
              context: slave === '' ? '' : 'slave',
            }),
            why: ofTarget === null ? why(alarm?.title ?? '', reason) : why(t(ofTarget, { name: alarm?.title ?? '' })),
          };
        case 'slave_silent':
          return {
            what: t('overview:problem.slave_silent', { slave, context: because === '' ? '' : 'faulty' }),
            why: why(because),
          };
        case 'no_slave_answers':
          return { what: t('overview:problem.no_slave_answers', { count }), why: why(because) };
        case 'deployment_failed':
          return {
            what: t('overview:problem.deployment_failed'),
            why: STATES.has(code) ? t(`overview:deployment.${code}`) : code,
          };
        case 'reads_missing':
          return {
            what: t('overview:problem.reads_missing', { count }),
            why: why(
              t('overview:problem.collected', { percent: shareText(percent) }),
              countedMs === null ? '' : t('overview:asOf', { time: formatClock(countedMs) }),
            ),
          };
        case 'store_filling':
          return {
            what: t('overview:problem.store_filling'),
            why: left === null ? '' : t('overview:problem.left', { left: duration(left * HOUR_MS) }),
          };
        case 'store_full':
        case 'samples_dropped':
          return { what: t(`overview:problem.${kind}`), why: t(`overview:problem.${kind}_count`, { count }) };
        case 'gateway_offline':
          return { what: t('overview:problem.gateway_offline'), why: why(reason) };
        default:
          return { what: t(`overview:problem.${kind}`), why: '' };
      }
    },
    [t, duration],
  );
}
