import type { Span } from '@/lib/time';
import type { Collected, CollectionGap, MissedReason, SlaveCollection } from './api';

/** In the order of the legend. */
export const MISSED: readonly MissedReason[] = [
  'no_answer',
  'bad_frame',
  'device_error',
  'out_of_range',
  'port_down',
  'port_lent',
  'late',
  'frozen',
  'not_running',
  'switching',
  'clock_not_set',
  'clock_moved',
  'not_reported',
  'disabled',
  'other',
];

/** Why there is no share; null when there is one. */
export type NoFigure = 'never_reported' | 'not_yet' | 'not_reported' | 'nothing_expected';

/** A piece of a row, in percent of the period. */
export interface Segment {
  key: string;
  gap: CollectionGap;
  left: number;
  width: number;
}

/** Narrower would not be seen. */
const MIN_WIDTH = 0.3;

function segmentOf(gap: CollectionGap, { start_ms, end_ms }: Span): Segment | null {
  const [low, high] = [Math.max(gap.from_ms, start_ms), Math.min(gap.to_ms, end_ms)];
  if (low >= high) return null;
  const length = end_ms - start_ms;
  const width = Math.max(((high - low) / length) * 100, MIN_WIDTH);
  const left = Math.min(((low - start_ms) / length) * 100, 100 - width);
  return { key: `${gap.id}-${gap.from_ms}-${gap.reason}`, gap, left, width };
}

/** A time of which nothing is known: before the first report, or not over yet. */
export interface Unknown {
  why: 'before' | 'future';
  left: number;
  width: number;
}

/** What of the period nobody can know. Time that a report is still to cover stands among the gaps. */
function unknownOf({ since_ms, no_figure }: Collected, { start_ms, end_ms }: Span, nowMs: number): Unknown[] {
  const length = end_ms - start_ms;
  const unknownPart = (why: Unknown['why'], low: number, high: number): Unknown[] =>
    low < high ? [{ why, left: ((low - start_ms) / length) * 100, width: ((high - low) / length) * 100 }] : [];
  if (no_figure === 'never_reported' || no_figure === 'not_yet') return unknownPart('before', start_ms, end_ms);
  const first = since_ms ?? start_ms; // null: it had reported before the period began
  return [
    ...unknownPart('before', start_ms, Math.min(first, end_ms)),
    ...unknownPart('future', Math.max(nowMs, start_ms, first), end_ms),
  ];
}

/** A row of the picture: a slave, or the gateway as a whole (slave null). */
export interface BandRow {
  slave: string | null;
  row: SlaveCollection | null;
  segments: Segment[];
  unknown: Unknown[];
}

/** The gateway's own row first, then slaves with the worst share first. Gaps of the whole gateway stand in every row. */
export function bandRows(
  gateway: Collected,
  slaves: readonly SlaveCollection[],
  gaps: readonly CollectionGap[],
  span: Span,
  nowMs: number,
): BandRow[] {
  const segments = new Map<string | null, Segment[]>();
  for (const gap of gaps) {
    const segment = segmentOf(gap, span);
    if (segment !== null) segments.set(gap.slave, [...(segments.get(gap.slave) ?? []), segment]);
  }
  const share = ({ collection }: SlaveCollection): number => collection.percent ?? 101;
  const ranked = slaves.toSorted(
    (a, b) => share(a) - share(b) || a.slave.localeCompare(b.slave, undefined, { numeric: true }),
  );
  const unknown = unknownOf(gateway, span, nowMs);
  const common = segments.get(null) ?? [];
  return [
    { slave: null, row: null, segments: common, unknown },
    ...ranked.map((row) => ({
      slave: row.slave,
      row,
      segments: [...common, ...(segments.get(row.slave) ?? [])],
      unknown,
    })),
  ];
}

/** Reasons that occur, in the order of the legend. */
export function reasonsOf(gaps: readonly Pick<CollectionGap, 'reason'>[]): MissedReason[] {
  const reasons = new Set(gaps.map(({ reason }) => reason));
  return MISSED.filter((reason) => reasons.has(reason));
}
