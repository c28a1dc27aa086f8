import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

interface PeriodChange {
  before_ms: number;
  after_ms: number;
  points: number;
}

/** Milliseconds as seconds without loss: 250 ms, 1.5 s, 60 s. */
function periodText(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}

/** '1 s → 5 s (12 points)' in the user's language. */
export function usePeriodWords(): (change: PeriodChange) => string {
  const { t } = useTranslation();
  return useCallback(
    ({ before_ms, after_ms, points }: PeriodChange) =>
      t('configuration:diff.periodChange', {
        before: periodText(before_ms),
        after: periodText(after_ms),
        count: points,
      }),
    [t],
  );
}
