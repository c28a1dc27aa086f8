import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Annotations } from '@/charts/annotations';
import type { LegendWords } from '@/charts/ChartLegend';
import type { ChartSeries } from '@/charts/series';
import { TimeChart } from '@/charts/TimeChart';
import type { SwitchWords } from '@/lib/numbers';
import { useSwitchWords } from '../live/useWords';
import type { PackedHistory, Spans } from './api';
import { ChartNotes } from './ChartNotes';
import classes from './history.module.css';
import { ghostSeries, packedSeries } from './series';
import type { HistoryState } from './useHistory';
import type { DeviceSource } from './useSources';

const CHART_PX = 340;
/** Of each of several charts. */
const PART_PX = 220;
/** One pointer for all charts of the page. */
const SYNC = 'history';

interface Props {
  /** With numbers, one at least. */
  chosen: readonly DeviceSource[];
  packed: PackedHistory;
  /** The same points a period earlier, by shiftMs; undefined when they are not compared. */
  earlier: PackedHistory | undefined;
  shiftMs: number;
  spans: Spans | undefined;
  history: HistoryState;
}

/** Lines of the chosen points: in one chart with an axis for each unit, or one chart for each unit. */
export function HistoryChart({ chosen, packed, earlier, shiftMs, spans, history }: Props): ReactElement {
  const { t } = useTranslation();
  const words = useLegendWords();
  const switchWords = useSwitchWords();
  const charts = useMemo(() => {
    const groups = history.splits ? [...Map.groupBy(chosen, ({ unit }) => unit).values()] : [chosen];
    const several = new Set(chosen.map(({ deviceId }) => deviceId)).size > 1;
    return groups.map((sources) =>
      linesOf(sources, {
        packed,
        earlier,
        shiftMs,
        several,
        words: switchWords,
        ghost: (name) => t('base:history.earlier', { name }),
      }),
    );
  }, [chosen, packed, earlier, shiftMs, history.splits, switchWords, t]);
  const notes = useMemo(() => notesOf(spans), [spans]);
  return (
    <div
      className={classes.chartArea}
      data-testid="history-chart"
      data-samples={packed.points.reduce((sum, point) => sum + point.t.length, 0)}
    >
      {charts.map((lines) => (
        <TimeChart
          key={lines.map(({ id }) => id).join()}
          series={lines}
          min={history.view.start_ms}
          max={history.view.end_ms}
          height={charts.length > 1 ? PART_PX : CHART_PX}
          label={t('base:history.chartLabel', { names: lines.map((line) => line.label).join(', ') })}
          words={words}
          onZoom={history.zoom}
          onReset={history.zoomOut}
          syncKey={charts.length > 1 ? SYNC : undefined}
          notes={notes}
          wheel
        />
      ))}
      <ChartNotes notes={notes} />
    </div>
  );
}

interface From {
  packed: PackedHistory;
  earlier: PackedHistory | undefined;
  shiftMs: number;
  /** Of more than one gateway: they are named too. */
  several: boolean;
  words: SwitchWords;
  ghost: (name: string) => string;
}

function linesOf(
  sources: readonly DeviceSource[],
  { packed, earlier, shiftMs, several, words, ghost }: From,
): ChartSeries[] {
  const lines = sources.map((source) => {
    const line = lineOf(source, packed, words);
    return several ? { ...line, label: `${source.deviceTitle} · ${line.label}` } : line;
  });
  if (earlier === undefined) return lines;
  const ghosts = sources.map((source, index) => {
    const line = lineOf(source, earlier, words);
    return ghostSeries(line, index, shiftMs, ghost(lines[index]?.label ?? line.label));
  });
  return [...lines, ...ghosts];
}

function lineOf(source: DeviceSource, { points, startMs, endMs }: PackedHistory, words: SwitchWords): ChartSeries {
  return packedSeries(
    source,
    points.find(({ dsid }) => dsid === source.dsid),
    startMs,
    endMs,
    words,
  );
}

function notesOf(spans: Spans | undefined): Annotations {
  return {
    spans: (spans?.offline ?? []).map(({ start_ms, end_ms = null }) => ({ startMs: start_ms, endMs: end_ms })),
    marks: (spans?.alarms ?? []).map(({ t_ms, shown }) => ({
      tMs: t_ms,
      bad: shown !== 'success' && shown !== 'info',
    })),
  };
}

function useLegendWords(): LegendWords {
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
