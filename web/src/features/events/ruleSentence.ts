import type { TFunction } from 'i18next';
import type { AlarmRow } from './api';

/** What a rule said when it raised an alarm: its limit and delay; '' for what has none. */
export function ruleSentence(reason: AlarmRow['reason'], t: TFunction): string {
  const condition = reason?.condition as Record<string, unknown> | undefined;
  if (condition === undefined || condition.type !== 1) return '';
  const limit = condition.trigger_threshold;
  const text =
    typeof limit === 'object' && limit !== null
      ? Object.values(limit as Record<string, unknown>).join(' … ')
      : String(limit);
  const sentence = t(`events:limit.${String(condition.trigger_optype)}`, { limit: text });
  const delay = Number(reason?.delay_s ?? 0);
  return delay > 0 ? `${sentence}, ${t('events:limit.for', { seconds: delay })}` : sentence;
}
