import { useMemo, useState } from 'react';
import { serverNow } from '@/lib/serverClock';
import { useTab } from '@/lib/tab';
import { QUICK_RANGES, quickSpan } from '@/lib/time';
import type { QuickRange, Span } from '@/lib/time';

export interface Range {
  /** Null when start and end were chosen. */
  quick: QuickRange | null;
  span: Span;
  /** The period ends at the moment of looking: a list that is read again goes on beyond span.end_ms. */
  open: boolean;
  setQuick: (range: QuickRange) => void;
  setCustom: (span: Span) => void;
  /** Let a quick range end now. */
  refresh: () => void;
}

/** A period out of two parameters of an address; null when they are none. */
export function spanOf(start: string | undefined, end: string | undefined): Span | null {
  const [start_ms, end_ms] = [Number(start), Number(end)];
  return start !== undefined && end !== undefined && start_ms < end_ms ? { start_ms, end_ms } : null;
}

/**
 * The period of a page, held in its address: a quick range stays relative there, so that a link to 'past 7 days' means
 * that on any day. leaves: further parameters that a new period removes.
 */
export function useRange(fallback: QuickRange, leaves: readonly string[] = []): Range {
  const { search, setSearch } = useTab();
  const [asOf, setAsOf] = useState(() => serverNow());
  const { start, end } = search;
  const custom = useMemo(() => spanOf(start, end), [start, end]);
  const quick = custom === null ? (QUICK_RANGES.find((range) => range === search.range) ?? fallback) : null;
  const span = useMemo(() => custom ?? quickSpan(quick ?? fallback, asOf), [custom, quick, fallback, asOf]);
  const left = Object.fromEntries(leaves.map((name) => [name, undefined]));
  return {
    quick,
    span,
    open: quick !== null && span.end_ms >= asOf,
    setQuick: (range) => {
      setAsOf(serverNow());
      setSearch({ ...left, range, start: undefined, end: undefined }, 'push');
    },
    setCustom: (next) => setSearch({ ...left, range: undefined, start: next.start_ms, end: next.end_ms }, 'push'),
    refresh: () => setAsOf(serverNow()),
  };
}
