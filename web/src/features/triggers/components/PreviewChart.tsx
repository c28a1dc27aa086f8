import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { packedQuery } from '@/blocks/history/api';
import { isChartable, packedSeries } from '@/blocks/history/series';
import { useLegendWords } from '@/blocks/history/useLegendWords';
import { useSwitchWords } from '@/blocks/live/useWords';
import { TimeChart } from '@/charts/TimeChart';
import type { ApiForm } from '@/components/form/useApiForm';
import { errorText } from '@/components/notices';
import { useTimeWords } from '@/components/useTimeWords';
import type { BacktestRow } from '../api';
import type { ConditionDraft, Draft } from '../draft';
import { handlesOf } from '../preview';
import { useSource } from './useSource';

const CHART_PX = 240;
const PIXELS = 800;

interface Props {
  form: ApiForm<Draft>;
  path: string;
  condition: ConditionDraft;
  start: number;
  end: number;
  result: BacktestRow | undefined;
}

/** Samples of a condition's point with its thresholds to be moved, and when the rule would have fired. */
export default function PreviewChart({ form, path, condition, start, end, result }: Props): ReactElement | null {
  const { t } = useTranslation();
  const words = useLegendWords();
  const switchWords = useSwitchWords();
  const { duration } = useTimeWords();
  const dsid = Number(condition.subject);
  const source = useSource(condition);
  const { data, error } = useQuery(packedQuery(source === undefined ? [] : [dsid], start, end, PIXELS));
  const series = useMemo(() => {
    if (source === undefined || data === undefined) return [];
    const line = packedSeries(
      source,
      data.points.find((point) => point.dsid === dsid),
      data.startMs,
      data.endMs,
      switchWords,
    );
    return [{ ...line, min: null, max: null, limits: [] }];
  }, [source, data, dsid, switchWords]);
  const notes = useMemo(
    () => ({
      spans: (result?.episodes ?? []).map(({ raised_ms, cleared_ms }) => ({
        startMs: raised_ms,
        endMs: cleared_ms,
        isAlarm: true,
      })),
      marks: [],
    }),
    [result],
  );
  if (error !== null) return <Text size="sm">{errorText(error)}</Text>;
  if (source === undefined || !isChartable(source)) return null;
  const handles = handlesOf(condition, (name) => t(`triggers:field.${name}`));
  const widthMs = data?.points.find((point) => point.dsid === dsid)?.widthMs;
  return (
    <>
      <TimeChart
        series={series}
        min={start}
        max={end}
        height={CHART_PX}
        label={t('triggers:preview.chart', { name: source.ds_title, time: duration(end - start) })}
        words={words}
        onZoom={() => undefined}
        onReset={() => undefined}
        notes={notes}
        handles={handles}
        onHandle={(name, value) => form.fields.setFieldValue(`${path}.${name}`, value)}
      />
      {widthMs === undefined ? null : (
        <Text size="xs" c="dimmed" data-testid="chart-level">
          {widthMs === 0 ? t('triggers:preview.raw') : t('triggers:preview.rollup', { time: duration(widthMs) })}
        </Text>
      )}
    </>
  );
}
