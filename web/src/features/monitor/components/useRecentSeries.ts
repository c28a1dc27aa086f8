import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ChartSeries } from '@/charts/series';
import { onTick } from '@/components/useNow';
import { bus, onResume } from '@/lib/live';
import { serverNow } from '@/lib/serverClock';
import { historyQuery } from '../api';
import type { DataSource } from '../api';
import { chartSeries, isTrusted, plotted } from '../historyView';

/** Most samples kept of one point; older ones go first. */
export const MOST_SAMPLES = 20_000;
const HISTORY_POINTS = 4000;

interface Samples {
  t: number[];
  y: (number | null)[];
}

/** Add a sample in its order; the same or an older time is not new. Bounded. */
export function append(samples: Samples, tMs: number, y: number | null): boolean {
  const last = samples.t.at(-1);
  if (last !== undefined && tMs <= last) return false;
  samples.t.push(tMs);
  samples.y.push(y);
  if (samples.t.length > MOST_SAMPLES) {
    samples.t.shift();
    samples.y.shift();
  }
  return true;
}

/** Lines of the last while: what the cloud holds, then what is pushed; redrawn at most with every tick. */
export function useRecentSeries(sources: readonly DataSource[], windowMs: number): ChartSeries[] {
  const [loadedAt, setLoadedAt] = useState(() => serverNow());
  const dsids = useMemo(() => sources.map((source) => source.dsid), [sources]);
  const history = useQuery(historyQuery(dsids, loadedAt - windowMs, loadedAt, HISTORY_POINTS));
  const pushed = useRef(new Map<number, Samples>());
  const [version, setVersion] = useState(0);

  useEffect(() => onResume(() => setLoadedAt(serverNow())), []);

  useEffect(() => {
    const own = new Map<number, Samples>(sources.map((source) => [source.dsid, { t: [], y: [] }]));
    pushed.current = own;
    let hasNews = false;
    const leave = sources.map((source) =>
      bus.watch(source.dsid, (now) => {
        const samples = own.get(source.dsid);
        const y = isTrusted(now.quality) ? plotted(now.value, source) : null;
        if (samples !== undefined && append(samples, now.t_ms, y)) hasNews = true;
      }),
    );
    const stopTick = onTick(() => {
      if (!hasNews) return;
      hasNews = false;
      setVersion((known) => known + 1);
    });
    return () => {
      for (const each of leave) each();
      stopTick();
    };
  }, [sources]);

  return useMemo(
    () =>
      sources.map((source) => {
        const base = chartSeries(source, history.data?.series.find((one) => one.dsid === source.dsid));
        return withPushed(base, pushed.current.get(source.dsid));
      }),
    // Pushed samples are held outside of React; version says that there are new ones.
    // oxlint-disable-next-line react/exhaustive-deps
    [sources, history.data, version],
  );
}

/** A line that goes on with what was pushed after its last sample. */
export function withPushed(base: ChartSeries, pushed: Samples | undefined): ChartSeries {
  const last = base.t.at(-1) ?? -Infinity;
  const from = pushed === undefined ? -1 : pushed.t.findIndex((t) => t > last);
  if (pushed === undefined || from < 0) return base;
  const y = pushed.y.slice(from);
  const grown = { ...base, t: [...base.t, ...pushed.t.slice(from)], y: [...base.y, ...y] };
  if (base.low === undefined || base.high === undefined) return grown;
  return { ...grown, low: [...base.low, ...y], high: [...base.high, ...y] };
}
