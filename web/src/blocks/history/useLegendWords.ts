import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { LegendWords } from '@/charts/ChartLegend';

/** Words of a chart's legend. */
export function useLegendWords(): LegendWords {
  const { t } = useTranslation();
  return useMemo(
    () => ({
      series: t('base:history.point'),
      atCursor: t('base:history.atCursor'),
      min: t('base:history.min'),
      mean: t('base:history.mean'),
      max: t('base:history.max'),
      last: t('base:history.last'),
    }),
    [t],
  );
}
