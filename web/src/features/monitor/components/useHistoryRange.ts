import { useCallback, useMemo, useState } from 'react';
import { serverNow } from '@/lib/serverClock';
import { useTab } from '@/lib/tab';
import { QUICK_RANGES, quickSpan } from '@/lib/time';
import type { QuickRange, Span } from '@/lib/time';

const DEFAULT_RANGE: QuickRange = 'pastHour';

export interface HistoryRange {
  points: string | undefined;
  quick: QuickRange | null;
  /** The chosen range, and the part of it in view. */
  span: Span;
  view: Span;
  isZoomed: boolean;
  shown: 'chart' | 'table';
  setPoints: (dsids: number[]) => void;
  setQuick: (range: QuickRange) => void;
  setCustom: (span: Span) => void;
  setShown: (shown: 'chart' | 'table') => void;
  zoom: (startMs: number, endMs: number) => void;
  zoomBack: () => void;
  refresh: () => void;
}

function spanOf(start: string | undefined, end: string | undefined): Span | null {
  const [start_ms, end_ms] = [Number(start), Number(end)];
  return start !== undefined && end !== undefined && start_ms < end_ms ? { start_ms, end_ms } : null;
}

/**
 * Points, range and zoom of a history page, held in its address: a quick range stays relative there, so that a link
 * to 'past 7 days' means that on any day. Each zoom is a step of the browser's history.
 */
export function useHistoryRange(): HistoryRange {
  const { search, setSearch } = useTab();
  const [asOf, setAsOf] = useState(() => serverNow());
  const { start, end, zoom_start: zoomStart, zoom_end: zoomEnd } = search;
  const custom = useMemo(() => spanOf(start, end), [start, end]);
  const zoomed = useMemo(() => spanOf(zoomStart, zoomEnd), [zoomStart, zoomEnd]);
  const quick = custom === null ? (QUICK_RANGES.find((range) => range === search.range) ?? DEFAULT_RANGE) : null;
  const span = useMemo(() => custom ?? quickSpan(quick ?? DEFAULT_RANGE, asOf), [custom, quick, asOf]);

  const setQuick = (range: QuickRange): void => {
    setAsOf(serverNow());
    setSearch({ range, start: undefined, end: undefined, zoom_start: undefined, zoom_end: undefined }, 'push');
  };
  const setCustom = (next: Span): void =>
    setSearch({ range: undefined, start: next.start_ms, end: next.end_ms, zoom_start: undefined, zoom_end: undefined }, 'push');
  const zoom = useCallback(
    (startMs: number, endMs: number) => setSearch({ zoom_start: startMs, zoom_end: endMs }, 'push'),
    [setSearch],
  );
  const zoomBack = useCallback(() => setSearch({ zoom_start: undefined, zoom_end: undefined }, 'push'), [setSearch]);
  return {
    points: search.points,
    quick,
    span,
    view: zoomed ?? span,
    isZoomed: zoomed !== null,
    shown: search.view === 'table' ? 'table' : 'chart',
    setPoints: (dsids) => setSearch({ points: dsids.length === 0 ? 'none' : dsids.join(',') }),
    setQuick,
    setCustom,
    setShown: (shown) => setSearch({ view: shown === 'chart' ? undefined : shown }),
    zoom,
    zoomBack,
    refresh: () => setAsOf(serverNow()),
  };
}
