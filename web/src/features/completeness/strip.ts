import type { Tone } from '@/lib/quality';
import type { Span } from '@/lib/time';
import type {
  CompletenessBucket as Bucket,
  Collected,
  OnOfflineEntry,
  GapReason as Reason,
} from '@/api/generated/types.gen';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer periods are shown by the day. */
const LONGEST_BY_HOUR_MS = 8 * DAY_MS;

export type Width = 'hour' | 'day';

export const REASONS: readonly Reason[] = ['held', 'evicted', 'damaged', 'no_catalog', 'replaced', 'unknown'];

/** One hour or one day to a cell. */
export function widthOf({ start_ms, end_ms }: Span): Width {
  return end_ms - start_ms <= LONGEST_BY_HOUR_MS ? 'hour' : 'day';
}

/** The browser's distance from UTC in whole hours: the cloud's books are kept by the hour. */
export function offsetMinutes(ms: number): number {
  return Math.round(-new Date(ms).getTimezoneOffset() / 60) * 60 || 0;
}

/** What is most worth knowing of a cell; nothing: no batch came and none is known to be missing. */
export type Mark = 'missing' | 'unread' | 'dropped' | 'unknown' | 'late' | 'complete' | 'nothing';
export const MARKS: readonly Mark[] = ['complete', 'late', 'unknown', 'dropped', 'unread', 'missing', 'nothing'];

type Known = Pick<Collected, 'percent' | 'not_reported_ms' | 'since_ms' | 'no_figure'>;
type Counts = Pick<Bucket, 'received' | 'late' | 'missing' | 'dropped_samples'> & {
  collection: Known & Pick<Collected, 'missed'>;
};

/** Is nobody able to say of part of the time, or of all, what was read in it? Where nothing was to be read that is known. */
export function isUnknown({ not_reported_ms, since_ms, no_figure }: Known): boolean {
  return not_reported_ms > 0 || since_ms !== null || (no_figure !== null && no_figure !== 'nothing_expected');
}

export function markOf({ received, late, missing, dropped_samples, collection }: Counts): Mark {
  if (missing > 0) return 'missing';
  if (collection.missed > 0) return 'unread';
  if (dropped_samples > 0) return 'dropped';
  if (received === 0) return 'nothing';
  if (isUnknown(collection)) return 'unknown';
  return late > 0 ? 'late' : 'complete';
}

const TONES: Record<Mark, Tone> = {
  missing: 'bad',
  unread: 'bad',
  dropped: 'warn',
  unknown: 'off',
  late: 'warn',
  complete: 'ok',
  nothing: 'off',
};

/** Colour of the share of batches alone. */
export function transportTone({ percent }: Pick<Bucket, 'percent'>): Tone {
  return percent === null ? 'off' : percent === 100 ? 'ok' : 'bad';
}

/** Colour of the share of reads: all of what is known to be good is not all good. */
export function readsTone(collection: Known): Tone {
  const tone = transportTone(collection);
  return tone === 'ok' && isUnknown(collection) ? 'off' : tone;
}

/** Late data is complete data: only what is not there is coloured as a fault. */
export function toneOf(counts: Counts): Tone {
  const mark = markOf(counts);
  return mark === 'late' ? 'ok' : TONES[mark];
}

/** Was the gateway itself away in this period? */
export function isOffline({ start_ms, end_ms }: Span, outages: readonly OnOfflineEntry[]): boolean {
  return outages.some(
    ({ slave, offline_ms, online_ms }) => slave === null && offline_ms < end_ms && (online_ms ?? Infinity) > start_ms,
  );
}

/** A place in a row; index: of the bucket that stands there. */
export interface Cell {
  place: number;
  index: number | null;
}

/** One day (24 cells) or one month (31). */
export interface Row {
  /** Local beginning of the row's day or month, as a UTC date. */
  label_ms: number;
  cells: Cell[];
}

function emptyCells(width: Width): Cell[] {
  return Array.from({ length: width === 'hour' ? 24 : 31 }, (_, place) => ({ place, index: null }));
}

/** Hours stand in rows of a day, days in rows of a month, each at its own place. */
export function rowsOf(buckets: readonly Pick<Bucket, 'start_ms'>[], width: Width, offsetMin: number): Row[] {
  const rows: Row[] = [];
  for (const [index, { start_ms }] of buckets.entries()) {
    const local = new Date(start_ms + offsetMin * 60_000);
    const day = width === 'hour' ? local.getUTCDate() : 1;
    const label_ms = Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), day);
    let row = rows.at(-1);
    if (row?.label_ms !== label_ms) {
      row = { label_ms, cells: emptyCells(width) };
      rows.push(row);
    }
    const place = width === 'hour' ? local.getUTCHours() : local.getUTCDate() - 1;
    row.cells[place] = { place, index };
  }
  return rows;
}

/** '11-21' of a day's row, '2026-11' of a month's. */
export function labelOf({ label_ms }: Pick<Row, 'label_ms'>, width: Width): string {
  const text = new Date(label_ms).toISOString();
  return width === 'hour' ? text.slice(5, 10) : text.slice(0, 7);
}

/** Where a key leads from a cell; null for keys that the strip does not know. */
export function stepOf(key: string, index: number, count: number, width: Width): number | null {
  const row = width === 'hour' ? 24 : 7;
  const steps: Record<string, number> = {
    ArrowRight: index + 1,
    ArrowLeft: index - 1,
    ArrowDown: index + row,
    ArrowUp: index - row,
    PageDown: index + row,
    PageUp: index - row,
    Home: 0,
    End: count - 1,
  };
  const next = steps[key];
  return next === undefined ? null : Math.min(Math.max(next, 0), count - 1);
}
