import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeWords } from '@/components/useTimeWords';
import type { SwitchWords } from '@/lib/numbers';
import type { LastValue } from '@/lib/quality';
import { ageParts, ON_CHANGE } from './age';

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
