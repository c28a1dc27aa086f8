import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { TimeChart } from '@/charts/TimeChart';
import { useSwitchWords } from '../live/useWords';
import { packedQuery, sourcesQuery } from './api';
import { useLegendWords } from './useLegendWords';
import { isChartable, packedSeries } from './series';

const AROUND_MS = 1_800_000;
const CHART_PX = 180;
const PIXELS = 800;

interface Props {
  deviceId: number;
  dsid: number;
  /** When the alarm began, UTC ms. */
  atMs: number;
  min: number | null;
  max: number | null;
}

/** A point half an hour before and after an alarm, with the limits that it went beyond. */
export function AlarmTrend({ deviceId, dsid, atMs, min, max }: Props): ReactElement | null {
  const { t } = useTranslation();
  const words = useLegendWords();
  const switchWords = useSwitchWords();
  const whole = { min: atMs - AROUND_MS, max: atMs + AROUND_MS };
  const [view, setView] = useState(whole);
  const { data: sources, error: noSources } = useQuery({ ...sourcesQuery(deviceId), meta: { errorInPlace: true } });
  const { data: packed, error } = useQuery({
    ...packedQuery([dsid], whole.min, whole.max, PIXELS),
    meta: { errorInPlace: true },
  });
  const source = sources?.find((one) => one.dsid === dsid);
  const series = useMemo(() => {
    if (source === undefined || packed === undefined) return [];
    const point = packed.points.find((one) => one.dsid === dsid);
    return [{ ...packedSeries(source, point, packed.startMs, packed.endMs, switchWords), min, max }];
  }, [source, packed, dsid, min, max, switchWords]);
  const notes = useMemo(() => ({ spans: [], marks: [{ tMs: atMs, bad: true }] }), [atMs]);
  if (noSources !== null || error !== null) return null;
  if (sources === undefined || packed === undefined) return <Skeleton h={CHART_PX} />;
  if (source === undefined || !isChartable(source)) return null;
  return (
    <div data-testid="alarm-trend" data-samples={series[0]?.t.length ?? 0}>
      <TimeChart
        series={series}
        min={view.min}
        max={view.max}
        height={CHART_PX}
        label={t('base:history.chartLabel', { names: series.map(({ label }) => label).join(', ') })}
        words={words}
        onZoom={(from, to) => setView({ min: from, max: to })}
        onReset={() => setView(whole)}
        notes={notes}
      />
    </div>
  );
}
