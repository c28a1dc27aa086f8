import { useCallback, useMemo, useRef } from 'react';
import { useTab } from '@/lib/tab';
import type { Span } from '@/lib/time';
import { spanOf, useRange } from '@/components/useRange';
import type { Range } from '@/components/useRange';

const ZOOM = ['zoom_start', 'zoom_end'] as const;
/** Gateways whose points may stand in one chart. */
const MAX_DEVICES = 8;
const MAX_STEPS = 50;
const NARROWEST_MS = 1000;

export interface HistoryState extends Range {
  /** Numbers of the chosen points; undefined when none were ever chosen. */
  points: readonly number[] | undefined;
  devices: readonly number[];
  /** The part of the chosen period that is in view. */
  view: Span;
  isZoomed: boolean;
  mode: 'chart' | 'table';
  compares: boolean;
  splits: boolean;
  choose: (points: readonly { dsid: number; deviceId: number }[]) => void;
  setMode: (mode: 'chart' | 'table') => void;
  setCompares: (on: boolean) => void;
  setSplits: (on: boolean) => void;
  zoom: (startMs: number, endMs: number) => void;
  /** One step back; without steps the whole period. */
  zoomBack: () => void;
  zoomOut: () => void;
}

export function numbersOf(text: string | undefined, max: number): number[] {
  const numbers = (text ?? '')
    .split(',')
    .filter((part) => /^[1-9]\d{0,9}$/.test(part))
    .map(Number);
  return [...new Set(numbers)].slice(0, max);
}

/** Points, period, zoom and looks of a history page, held in its address. Each zoom is a step of the browser's history. */
export function useHistory(ownDevice: number | null, maxPoints: number): HistoryState {
  const { search, setSearch } = useTab();
  const range = useRange('pastHour', ZOOM);
  const { zoom_start: zoomStart, zoom_end: zoomEnd, points, dsids, devices } = search;
  const zoomed = useMemo(() => spanOf(zoomStart, zoomEnd), [zoomStart, zoomEnd]);
  const steps = useRef<(Span | null)[]>([]);
  const goTo = useCallback(
    (span: Span | null) => setSearch({ zoom_start: span?.start_ms, zoom_end: span?.end_ms }, 'push'),
    [setSearch],
  );
  const zoom = useCallback(
    (startMs: number, endMs: number) => {
      if (endMs - startMs < NARROWEST_MS) return;
      steps.current = [...steps.current, zoomed].slice(-MAX_STEPS);
      goTo({ start_ms: Math.round(startMs), end_ms: Math.round(endMs) });
    },
    [goTo, zoomed],
  );
  const zoomBack = useCallback(() => {
    if (zoomed !== null) goTo(steps.current.pop() ?? null);
  }, [goTo, zoomed]);
  const zoomOut = useCallback(() => {
    steps.current = [];
    if (zoomed !== null) goTo(null);
  }, [goTo, zoomed]);
  const chosen = points ?? dsids;
  return {
    ...range,
    points: useMemo(() => (chosen === undefined ? undefined : numbersOf(chosen, maxPoints)), [chosen, maxPoints]),
    devices: useMemo(() => {
      const deviceIds = numbersOf(devices, MAX_DEVICES);
      return ownDevice === null || deviceIds.includes(ownDevice)
        ? deviceIds
        : [ownDevice, ...deviceIds].slice(0, MAX_DEVICES);
    }, [devices, ownDevice]),
    view: zoomed ?? range.span,
    isZoomed: zoomed !== null,
    mode: search.view === 'table' ? 'table' : 'chart',
    compares: search.compare === '1',
    splits: search.split === '1',
    choose: (next) => {
      const others = [...new Set(next.map(({ deviceId }) => deviceId))].filter((id) => id !== ownDevice);
      setSearch({
        points: next.length === 0 ? 'none' : next.map(({ dsid }) => dsid).join(','),
        devices: others.length === 0 ? undefined : others.join(','),
      });
    },
    setMode: (mode) => setSearch({ view: mode === 'chart' ? undefined : mode }),
    setCompares: (on) => setSearch({ compare: on ? 1 : undefined }),
    setSplits: (on) => setSearch({ split: on ? 1 : undefined }),
    zoom,
    zoomBack,
    zoomOut,
  };
}
