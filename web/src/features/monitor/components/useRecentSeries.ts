import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ChartSeries } from '@/charts/series';
import { useSwitchWords } from '@/components/live/useWords';
import { onTick } from '@/components/useNow';
import { bus, onResume } from '@/lib/live';
import { serverNow } from '@/lib/serverClock';
import { historyQuery } from '../api';
import type { DataSource } from '../api';
import { chartSeries, isTrusted, plotted } from '@/components/history/series';
import type { GrowingSeries } from '@/components/history/series';

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

/** Ticks between two drawings: lines and axis move together, once a second. */
const DRAW_TICKS = 2;

export interface Recent {
  lines: ChartSeries[];
  /** The cloud's time as of the last drawing. */
  now: number;
}

/** Lines of the last while: what the cloud holds, then what is pushed. fromMs: what is older is left out. */
export function useRecentSeries(sources: readonly DataSource[], windowMs: number, fromMs: number | null): Recent {
  const [loadedAt, setLoadedAt] = useState(() => serverNow());
  const words = useSwitchWords();
  const dsids = useMemo(() => sources.map((source) => source.dsid), [sources]);
  const history = useQuery(historyQuery(dsids, loadedAt - windowMs, loadedAt, HISTORY_POINTS));
  const pushed = useRef(new Map<number, Samples>());
  const [now, setNow] = useState(loadedAt);

  useEffect(() => onResume(() => setLoadedAt(serverNow())), []);

  useEffect(() => {
    const own = new Map<number, Samples>(sources.map((source) => [source.dsid, { t: [], y: [] }]));
    pushed.current = own;
    const leave = sources.map((source) =>
      bus.watch(source.dsid, (now) => {
        const samples = own.get(source.dsid);
        const y = isTrusted(now.quality) ? plotted(now.value, source) : null;
        if (samples !== undefined) append(samples, now.t_ms, y);
      }),
    );
    let ticks = 0;
    const stopTick = onTick(() => {
      ticks += 1;
      if (ticks % DRAW_TICKS === 0) setNow(serverNow());
    });
    return () => {
      for (const each of leave) each();
      stopTick();
    };
  }, [sources]);

  const bases = useMemo(
    () => sources.map((source) => chartSeries(source, history.data?.series.find((one) => one.dsid === source.dsid), words)),
    [sources, history.data, words],
  );
  const lines = useMemo(
    () => {
      const from = fromMs ?? now - windowMs;
      return bases.map((base) => since(withPushed(base, pushed.current.get(base.id)), from));
    },
    // Pushed samples are held outside of React; with each drawing they are looked at.
    // oxlint-disable-next-line react/exhaustive-deps
    [bases, now, windowMs, fromMs],
  );
  return { lines, now };
}

/** A line without what is older, but for the last sample before: the line comes from there. */
export function since(line: GrowingSeries, fromMs: number): GrowingSeries {
  const at = firstFrom(line.t, fromMs) - 1;
  if (at <= 0) return line;
  const weights = line.weights?.slice(at);
  const cut = { ...line, t: line.t.slice(at), y: line.y.slice(at), ...(weights === undefined ? {} : { weights }) };
  return line.low === undefined || line.high === undefined ? cut : { ...cut, low: line.low.slice(at), high: line.high.slice(at) };
}

/** Place of the first time from fromMs on; the length when there is none. Times rise. */
function firstFrom(t: readonly number[], fromMs: number): number {
  let [low, high] = [0, t.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((t[middle] ?? 0) < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A line that goes on with what was pushed after its last sample. */
export function withPushed(base: GrowingSeries, pushed: Samples | undefined): GrowingSeries {
  const last = base.t.at(-1) ?? -Infinity;
  const from = pushed === undefined ? 0 : firstFrom(pushed.t, last + 1);
  if (pushed === undefined || from === pushed.t.length) return base;
  const y = pushed.y.slice(from);
  const grown = { ...base, t: base.t.concat(pushed.t.slice(from)), y: base.y.concat(y) };
  if (base.low === undefined || base.high === undefined) return grown;
  return { ...grown, low: base.low.concat(y), high: base.high.concat(y) };
}
