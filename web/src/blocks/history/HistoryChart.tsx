import { lazy, Suspense, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChartSeries } from '@/charts/series';
import { TimeChart } from '@/charts/TimeChart';
import type { SwitchWords } from '@/lib/numbers';
import { useSwitchWords } from '../live/useWords';
import { useLegendWords } from './useLegendWords';
import type { PackedHistory, Spans } from './api';
import classes from './history.module.css';
import { notesOf } from './notes';
import { ghostSeries, packedSeries } from './series';
import type { HistoryState } from './useHistory';
import type { DeviceSource } from './useSources';

const ChartNotes = lazy(async () => ({ default: (await import('./ChartNotes')).ChartNotes }));

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
      <Suspense fallback={null}>
        <ChartNotes notes={notes} />
      </Suspense>
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
