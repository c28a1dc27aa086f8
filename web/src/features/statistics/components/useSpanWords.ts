import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { spanParts } from '../figures';

/** A sum of time in the user's language, in its two largest units. */
export function useSpanWords(): (ms: number) => string {
  const { t } = useTranslation();
  return useCallback(
    (ms) =>
      spanParts(ms)
        .map(({ unit, count }) => t(`base:duration.${unit}`, { count }))
        .join(' '),
    [t],
  );
}
