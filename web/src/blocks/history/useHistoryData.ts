import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { Span } from '@/lib/time';
import { historyQuery, packedQuery, spansQuery } from './api';
import type { PackedHistory, Series, Spans } from './api';
import { isChartable } from './series';
import type { HistoryState } from './useHistory';
import type { DeviceSource } from './useSources';

/** Pixels are asked for in such steps, so that a window that is pulled a little asks for nothing new. */
const STEP_PX = 200;
const MIN_PX = 200;
const MAX_PX = 1600;

export interface HistoryData {
  /** Of the chosen points those with numbers. */
  charted: readonly DeviceSource[];
  packed: PackedHistory | undefined;
  /** The same points a period earlier. */
  earlier: PackedHistory | undefined;
  spans: Spans | undefined;
  /** Of the table. */
  series: readonly Series[];
  /** Nothing yet that may be shown of this part of the time. */
  isPending: boolean;
  isFetching: boolean;
  /** Part of the chart's answer that is here, 0 to 1. */
  share: number;
  /** The whole answer is here and holds nothing. */
  isEmpty: boolean;
  /** Only when there is nothing to show instead. */
  error: unknown;
  retry: () => void;
  /** What the table shows, whether it is shown or not. */
  loadSeries: () => Promise<readonly Series[]>;
}

/** What is asked of the cloud for a chart or a table of these points. Each part of the time in view is asked for anew. */
export function useHistoryData(history: HistoryState, chosen: readonly DeviceSource[]): HistoryData {
  const { view, span } = history;
  const isChart = history.mode === 'chart';
  const [pixels] = useState(() => pixelsOf(window.innerWidth));
  const [share, setShare] = useState(1);
  const client = useQueryClient();
  const dsids = useMemo(() => chosen.map(({ dsid }) => dsid), [chosen]);
  const charted = useMemo(() => chosen.filter(isChartable), [chosen]);
  const ofChart = useMemo(() => charted.map(({ dsid }) => dsid), [charted]);
  const chart = useQuery({
    ...packedQuery(ofChart, view.start_ms, view.end_ms, pixels, setShare),
    enabled: isChart && ofChart.length > 0,
  });
  const shiftMs = span.end_ms - span.start_ms;
  const isCompared = isChart && history.compares && ofChart.length > 0;
  const before = useQuery({
    ...packedQuery(ofChart, view.start_ms - shiftMs, view.end_ms - shiftMs, pixels),
    enabled: isCompared,
    meta: { errorInPlace: true },
  });
  const spans = useQuery(spansQuery(dsids, view.start_ms, view.end_ms));
  const asTable = historyQuery(dsids, view.start_ms, view.end_ms, pixels);
  const table = useQuery({ ...asTable, enabled: !isChart && dsids.length > 0 });
  const query = isChart ? chart : table;
  const content = isChart ? chart.data?.points : table.data?.series;
  const isOther = query.isPlaceholderData && !reaches(content ?? [], isChart ? ofChart : dsids, view);
  const { queryKey, queryFn, staleTime } = asTable;
  return {
    charted,
    packed: chart.data,
    earlier: isCompared ? before.data : undefined,
    spans: spans.data,
    series: useMemo(() => table.data?.series ?? [], [table.data]),
    isPending: query.isPending || isOther,
    isFetching: query.isFetching || before.isFetching,
    share: isChart ? share : 1,
    isEmpty: !query.isPlaceholderData && content?.every(({ t }) => t.length === 0) === true,
    error: query.data === undefined ? query.error : null,
    retry: () => void query.refetch(),
    loadSeries: useCallback(
      async () => (await client.fetchQuery({ queryKey, queryFn, staleTime })).series,
      // The key stands for all three.
      // oxlint-disable-next-line react/exhaustive-deps
      [client, ...queryKey],
    ),
  };
}

function pixelsOf(width: number): number {
  return Math.min(MAX_PX, Math.max(MIN_PX, Math.ceil(width / STEP_PX) * STEP_PX));
}

interface Times {
  dsid: number;
  t: ArrayLike<number>;
}

/** Has an earlier answer something of every point in view? Then it may stand in until the new one is here. */
export function reaches(answer: readonly Times[], dsids: readonly number[], view: Span): boolean {
  return dsids.every((dsid) =>
    answer.some(
      (one) =>
        one.dsid === dsid && Array.prototype.some.call(one.t, (at: number) => at >= view.start_ms && at <= view.end_ms),
    ),
  );
}
