import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { SwitchWords } from '@/lib/numbers';
import { ON_CHANGE } from './age';

/** What the age of a point's value is not: of one that is recorded on change it says when the value last changed. */
export function useAgeHint(record: number): string | undefined {
  const { t } = useTranslation();
  return record === ON_CHANGE ? t('base:ago.lastChangeHint') : undefined;
}

/** The language's words for the positions of a switch. */
export function useSwitchWords(): SwitchWords {
  const { t } = useTranslation();
  const on = t('base:value.on');
  const off = t('base:value.off');
  return useMemo(() => ({ on, off }), [on, off]);
}
