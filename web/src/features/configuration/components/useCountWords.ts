import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { PARTS } from '../difference';

interface Counts {
  added: number;
  removed: number;
  changed: number;
}

/** '3 added, 1 changed' in the user's language. */
export function useCountWords(): (counts: Counts) => string {
  const { t } = useTranslation();
  return useCallback(
    (counts: Counts) => {
      const parts = PARTS.filter((part) => counts[part] > 0).map((part) =>
        t(`configuration:diff.count.${part}`, { count: counts[part] }),
      );
      return parts.length === 0 ? t('configuration:diff.count.none') : parts.join(' · ');
    },
    [t],
  );
}
