import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { SwitchWords } from '@/lib/numbers';
import type { LastValue } from '@/lib/quality';
import { ageOf, amountOf } from '@/lib/time';
import { ageParts, ON_CHANGE } from './age';

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

/** The age of a point's value. Of one that is recorded on change it says when the value last changed, not how old it is. */
export function useAgeWords(record: number): {
  age: (last: LastValue, now: number) => string;
  hint: string | undefined;
} {
  const { t } = useTranslation();
  const { ago } = useTimeWords();
  const age = useCallback(
    (last: LastValue, now: number) => {
      const { key, ms } = ageParts(last, now, record);
      return key === null ? ago(ms) : t(key, { ago: ago(ms) });
    },
    [record, ago, t],
  );
  return { age, hint: record === ON_CHANGE ? t('base:ago.lastChangeHint') : undefined };
}

/** The language's words for the positions of a switch. */
export function useSwitchWords(): SwitchWords {
  const { t } = useTranslation();
  const on = t('base:value.on');
  const off = t('base:value.off');
  return useMemo(() => ({ on, off }), [on, off]);
}
