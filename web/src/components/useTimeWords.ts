import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ageOf, amountOf } from '@/lib/time';

/** Below this a counting number is only noise. */
const JUST_NOW_MS = 3000;

/** Durations and ages in the user's language. */
export function useTimeWords(): { ago: (ms: number) => string; duration: (ms: number) => string } {
  const { t } = useTranslation();
  const ago = useCallback(
    (ms: number) => {
      if (ms < JUST_NOW_MS) return t('base:ago.now');
      const { unit, count } = ageOf(ms);
      return t(`base:ago.${unit}`, { count });
    },
    [t],
  );
  const duration = useCallback(
    (ms: number) => {
      const { unit, count } = amountOf(ms);
      return t(`base:duration.${unit}`, { count });
    },
    [t],
  );
  return useMemo(() => ({ ago, duration }), [ago, duration]);
}
