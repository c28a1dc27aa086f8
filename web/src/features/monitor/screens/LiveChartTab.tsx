import { Button, Select } from '@mantine/core';
import { IconArrowBackUp, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useMemo, useReducer } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { changeView, following, rangeOf } from '@/charts/follow';
import { TimeChart } from '@/charts/TimeChart';
import { Empty } from '@/components/Empty';
import { ChartNotes } from '@/blocks/history/ChartNotes';
import { useTimeWords } from '@/components/useTimeWords';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { PRESET_TIMES_S } from '@/lib/interval';
import { useTab } from '@/lib/tab';
import { chosenPoints, PointPicker } from '../components/PointPicker';
import { useChartWords } from '../components/useChartWords';
import { useDevice, usePoints } from '../components/useDevice';
import { useRecentSeries } from '../components/useRecentSeries';
import { isChartable } from '@/blocks/history/series';
import { breaks } from '../recent';
import classes from '../monitor.module.css';

const MINUTE_MS = 60_000;
const WINDOWS_MS = PRESET_TIMES_S.map((seconds) => seconds * 1000).filter((ms) => ms <= 60 * MINUTE_MS);
const DEFAULT_WINDOW_MS = 10 * MINUTE_MS;
const CHART_PX = 360;

export default function LiveChartTab(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const { sources, isPending, error, retry } = usePoints();
  const chartable = useMemo(() => sources.filter(isChartable), [sources]);
  const chosen = useMemo(() => chosenPoints(search.points, chartable), [search.points, chartable]);
  const wantedMs = Number(search.window);
  const windowMs = WINDOWS_MS.includes(wantedMs) ? wantedMs : DEFAULT_WINDOW_MS;
  if (error !== null) return <Trouble error={error} onRetry={retry} />;
  if (isPending) return <PageSkeleton />;
  const picker = (
    <PointPicker
      sources={chartable}
      chosen={chosen.map((source) => source.dsid)}
      onChange={(dsids) => setSearch({ points: dsids.length === 0 ? 'none' : dsids.join(',') })}
    />
  );
  if (chosen.length === 0) {
    return (
      <>
        <div className={classes.bar}>{picker}</div>
        <Empty title={t('monitor:history.choose')} />
      </>
    );
  }
  return (
    <Chart
      key={windowMs}
      picker={picker}
      chosen={chosen}
      windowMs={windowMs}
      onWindow={(ms) => setSearch({ window: ms === DEFAULT_WINDOW_MS ? undefined : ms })}
    />
  );
}

interface ChartProps {
  picker: ReactElement;
  chosen: ReturnType<typeof chosenPoints>;
  windowMs: number;
  onWindow: (ms: number) => void;
}

function Chart({ picker, chosen, windowMs, onWindow }: ChartProps): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const words = useChartWords();
  const [view, change] = useReducer(changeView, windowMs, following);
  const { lines, spans, now } = useRecentSeries(useDevice(), chosen, windowMs, view.fixed?.min ?? null);
  const { min, max } = rangeOf(view, now);
  const isFollowing = view.fixed === null;
  const notes = useMemo(
    () => ({ spans: spans.filter(({ startMs, endMs }) => startMs <= max && (endMs ?? max) >= min), marks: [] }),
    [spans, min, max],
  );
  return (
    <>
      <div className={classes.bar}>
        {picker}
        <Select
          aria-label={t('monitor:chart.window')}
          data={WINDOWS_MS.map((ms) => ({ value: String(ms), label: duration(ms) }))}
          value={String(windowMs)}
          onChange={(value) => value !== null && onWindow(Number(value))}
          allowDeselect={false}
          w={120}
        />
        {view.steps.length > 0 ? (
          <Button
            variant="default"
            leftSection={<IconArrowBackUp size={16} />}
            onClick={() => change({ type: 'back' })}
          >
            {t('monitor:history.zoomBack')}
          </Button>
        ) : null}
        <Button
          variant={isFollowing ? 'default' : 'filled'}
          leftSection={isFollowing ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
          onClick={() => change(isFollowing ? { type: 'pause', now } : { type: 'resume' })}
          data-testid="chart-follow"
          data-following={isFollowing}
        >
          {t(isFollowing ? 'monitor:chart.pause' : 'monitor:chart.resume')}
        </Button>
      </div>
      <div
        className={classes.chartArea}
        data-testid="live-chart"
        data-samples={lines.map(({ t }) => t.length).join()}
        data-breaks={breaks(lines)}
        data-outages={notes.spans.length}
      >
        <TimeChart
          series={lines}
          min={min}
          max={max}
          height={CHART_PX}
          label={t('monitor:chart.label', { names: lines.map((line) => line.label).join(', ') })}
          words={words}
          onZoom={(from, to) => change({ type: 'zoom', min: from, max: to })}
          onReset={() => change({ type: 'back' })}
          notes={notes}
        />
        <ChartNotes notes={notes} />
      </div>
    </>
  );
}
