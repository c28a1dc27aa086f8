import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { reasonKey, targetKey } from '@/lib/reasons';
import { isRecovery } from '../handling';

interface What {
  device_title: string;
  gateway_id: string;
  slave: string | null;
  slave_title: string | null;
}

interface EventFacts {
  title: string;
  cause: string;
  alarm_type: number;
}

export interface EventWords {
  /** A code such as link_lost in words. */
  reason: (code: string) => string;
  /** What an alarm tells: the words of who made it, its cause, or both; of a recovery what was wrong before. */
  content: (row: EventFacts) => string;
  device: (row: What) => string;
  /** '' for the gateway itself. */
  slave: (row: What) => string;
}

export function useEventWords(): EventWords {
  const { t } = useTranslation();
  const reason = useCallback(
    (code: string) => {
      const key = reasonKey(code);
      return key === null ? code : t(key);
    },
    [t],
  );
  const content = useCallback(
    ({ title, cause, alarm_type }: EventFacts) => {
      if (cause === '') return title;
      const ofTarget = targetKey(cause);
      if (ofTarget !== null) return t(ofTarget, { name: title });
      if (title !== '') return `${title} (${reason(cause)})`;
      return isRecovery(alarm_type) ? t('events:alarm.was', { reason: reason(cause) }) : reason(cause);
    },
    [t, reason],
  );
  return useMemo(() => ({ reason, content, device: deviceOf, slave: slaveOf }), [reason, content]);
}

export function deviceOf({ device_title, gateway_id }: What): string {
  return device_title || gateway_id;
}

export function slaveOf({ slave, slave_title }: What): string {
  return slave_title || slave || '';
}
