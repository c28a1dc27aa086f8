import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { LegendWords } from '@/charts/ChartLegend';

export function useChartWords(): LegendWords {
  const { t } = useTranslation();
  return useMemo(
    () => ({
      series: t('monitor:column.point'),
      atCursor: t('monitor:chart.atCursor'),
      min: t('monitor:chart.min'),
      mean: t('monitor:chart.mean'),
      max: t('monitor:chart.max'),
    }),
    [t],
  );
}
