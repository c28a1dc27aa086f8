import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { mergedSpans } from '@/charts/annotations';
import type { ChartSpan } from '@/charts/annotations';
import { chartSeries } from '@/blocks/history/series';
import type { GrowingSeries } from '@/blocks/history/series';
import { useSwitchWords } from '@/blocks/live/useWords';
import { onTick } from '@/components/useNow';
import { bus, onOnOff, onResume, onVisible } from '@/lib/live';
import { countsAsOnline, reportMsOf } from '@/lib/quality';
import { serverNow } from '@/lib/serverClock';
import { recentQuery, recentSpansQuery } from '../api';
import type { DataSource, DeviceDetail, Series } from '../api';
import { RecentSamples, silences, since, withPushed } from '../recent';

/** Ticks between two drawings: lines and axis move together, once a second. */
const DRAW_TICKS = 2;
/** After an outage the gateway sends what it has kept: what is older than the newest sample is not pushed, but asked for. */
const HEAL_MS = 30_000;

export interface Recent {
  lines: GrowingSeries[];
  /** Times without a gateway, a slave or a value that is new enough. */
  spans: ChartSpan[];
  /** The cloud's time as of the last drawing. */
  now: number;
}

/**
 * Lines of the last while: what the cloud holds of each point, then what is pushed. A point that is added is loaded for itself;
 * the others keep what they have. fromMs: what is older is left out.
 */
export function useRecentSeries(
  device: DeviceDetail,
  sources: readonly DataSource[],
  windowMs: number,
  fromMs: number | null,
): Recent {
  const words = useSwitchWords();
  const [now, setNow] = useState(serverNow);
  const [pushed] = useState(() => new RecentSamples((dsid, listener) => bus.watch(dsid, listener)));
  const dsids = useMemo(() => sources.map(({ dsid }) => dsid), [sources]);
  const outages = useQuery({ ...recentSpansQuery(dsids, windowMs), refetchInterval: HEAL_MS });
  const outageData = outages.data;
  const heals = outageData !== undefined && outageData.length > 0;
  const bases = useQueries({
    queries: sources.map(({ dsid }) => ({
      ...recentQuery(dsid, windowMs),
      refetchInterval: heals ? HEAL_MS : (false as const),
    })),
    combine: seriesOf,
  });

  useEffect(() => pushed.follow(sources), [pushed, sources]);
  useEffect(() => () => pushed.follow([]), [pushed]);

  const { reload } = bases;
  const { refetch } = outages;
  const isOnline = device.link.online;
  useEffect(() => {
    const again = (): void => {
      reload();
      void refetch();
    };
    // A page that nobody looks at is told the newest of each point only; what came between is asked for.
    const leave = [onResume(again), onVisible(again), onOnOff(() => void refetch())];
    return () => {
      for (const each of leave) each();
    };
  }, [reload, refetch]);
  useEffect(() => void refetch(), [refetch, isOnline]);

  useEffect(() => {
    let ticks = 0;
    return onTick(() => {
      ticks += 1;
      if (ticks % DRAW_TICKS === 0) setNow(serverNow());
    });
  }, []);

  const { series } = bases;
  const loaded = useMemo(
    () => sources.map((source, at) => chartSeries(source, series[at], words)),
    [sources, series, words],
  );
  const lines = useMemo(
    () => loaded.map((base) => since(withPushed(base, pushed.of(base.id)), fromMs ?? now - windowMs)),
    // Pushed samples are held outside of React; with each drawing they are looked at.
    // oxlint-disable-next-line react/exhaustive-deps
    [loaded, now, windowMs, fromMs],
  );
  const spans = useMemo(() => {
    const own = lines.flatMap((line, at) => silences(line, sources[at] as DataSource, now, reportMsOf(device.link)));
    return mergedSpans([...own, ...absent(device, sources), ...(outageData ?? [])]);
  }, [lines, sources, now, device, outageData]);
  return { lines, spans, now };
}

interface Requested {
  data: Series | null | undefined;
  refetch: () => unknown;
}

function seriesOf(requests: readonly Requested[]): { series: (Series | undefined)[]; reload: () => void } {
  return {
    series: requests.map(({ data }) => data ?? undefined),
    reload: () => requests.forEach(({ refetch }) => void refetch()),
  };
}

/** The gateway, or slaves of these points, away now: told before the log notes it. */
function absent(device: DeviceDetail, sources: readonly DataSource[]): ChartSpan[] {
  const { since_ms } = device.link;
  if (!countsAsOnline(device.link)) return typeof since_ms === 'number' ? [{ startMs: since_ms, endMs: null }] : [];
  const names = new Set(sources.map(({ slave }) => slave));
  const away = device.slaves.filter((slave) => names.has(slave.name) && !slave.online && slave.reason !== '');
  return away.flatMap((slave) =>
    typeof slave.since_ms === 'number' ? [{ startMs: slave.since_ms, endMs: null }] : [],
  );
}
