import { useCallback, useMemo } from 'react';
import { spanOf, useRange } from '@/components/useRange';
import type { Range } from '@/components/useRange';
import { useTab } from '@/lib/tab';
import type { Span } from '@/lib/time';

const ZOOM = ['zoom_start', 'zoom_end'] as const;

export interface HistoryRange extends Range {
  points: string | undefined;
  /** The part of the chosen period that is in view. */
  view: Span;
  isZoomed: boolean;
  shown: 'chart' | 'table';
  setPoints: (dsids: number[]) => void;
  setShown: (shown: 'chart' | 'table') => void;
  zoom: (startMs: number, endMs: number) => void;
  zoomBack: () => void;
}

/** Points, range and zoom of a history page, held in its address. Each zoom is a step of the browser's history. */
export function useHistoryRange(): HistoryRange {
  const { search, setSearch } = useTab();
  const range = useRange('pastHour', ZOOM);
  const { zoom_start: zoomStart, zoom_end: zoomEnd } = search;
  const zoomed = useMemo(() => spanOf(zoomStart, zoomEnd), [zoomStart, zoomEnd]);
  const zoom = useCallback(
    (startMs: number, endMs: number) => setSearch({ zoom_start: startMs, zoom_end: endMs }, 'push'),
    [setSearch],
  );
  const zoomBack = useCallback(() => setSearch({ zoom_start: undefined, zoom_end: undefined }, 'push'), [setSearch]);
  return {
    ...range,
    points: search.points,
    view: zoomed ?? range.span,
    isZoomed: zoomed !== null,
    shown: search.view === 'table' ? 'table' : 'chart',
    setPoints: (dsids) => setSearch({ points: dsids.length === 0 ? 'none' : dsids.join(',') }),
    setShown: (shown) => setSearch({ view: shown === 'chart' ? undefined : shown }),
    zoom,
    zoomBack,
  };
}
