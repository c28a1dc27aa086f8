export const QUICK_RANGES = [
  'pastHour',
  'today',
  'yesterday',
  'past7Days',
  'past30Days',
  'thisMonth',
  'lastMonth',
  'halfYear',
  'oneYear',
] as const;

const MINUTE_MS = 60_000;

/** Spans that end now, by the specification; offered beside a start and an end of one's own. */
export const PRESET_SPANS_MS: readonly number[] = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 3, 6, 12].map((hours) => hours * 60 * MINUTE_MS),
  ...[1, 7, 15, 30, 90].map((days) => days * 24 * 60 * MINUTE_MS),
];

export type QuickRange = (typeof QUICK_RANGES)[number];

export interface Span {
  start_ms: number;
  end_ms: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function midnight(ms: number, addDays = 0): number {
  const day = new Date(ms);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + addDays).getTime();
}

function month(ms: number, addMonths: number): number {
  const day = new Date(ms);
  return new Date(day.getFullYear(), day.getMonth() + addMonths, 1).getTime();
}

/** Same wall-clock time some months earlier; the last day of a shorter month stands for missing days. */
function monthsBefore(ms: number, months: number): number {
  const day = new Date(ms);
  const lastOfTarget = new Date(day.getFullYear(), day.getMonth() - months + 1, 0).getDate();
  const moved = new Date(ms);
  moved.setDate(1);
  moved.setMonth(day.getMonth() - months);
  moved.setDate(Math.min(day.getDate(), lastOfTarget));
  return moved.getTime();
}

/** Start and end of a quick range, in the browser's time zone. The end is never in the future. */
export function quickSpan(range: QuickRange, now: number): Span {
  switch (range) {
    case 'pastHour':
      return { start_ms: now - HOUR_MS, end_ms: now };
    case 'today':
      return { start_ms: midnight(now), end_ms: now };
    case 'yesterday':
      return { start_ms: midnight(now, -1), end_ms: midnight(now) };
    case 'past7Days':
      return { start_ms: now - 7 * DAY_MS, end_ms: now };
    case 'past30Days':
      return { start_ms: now - 30 * DAY_MS, end_ms: now };
    case 'thisMonth':
      return { start_ms: month(now, 0), end_ms: now };
    case 'lastMonth':
      return { start_ms: month(now, -1), end_ms: month(now, 0) };
    case 'halfYear':
      return { start_ms: monthsBefore(now, 6), end_ms: now };
    case 'oneYear':
      return { start_ms: monthsBefore(now, 12), end_ms: now };
  }
}

/** Which days a quick range of whole days means: 11-22, or 11-16 – 11-23; '' for the past hour. */
export function daysOf(range: QuickRange, { start_ms, end_ms }: Span): string {
  if (range === 'pastHour') return '';
  const [first, last] = [start_ms, end_ms - 1].map((ms) => formatDateTime(ms).slice(0, 10));
  if (first === last) return (first ?? '').slice(5);
  const sameYear = first?.slice(0, 4) === last?.slice(0, 4);
  return [first, last].map((day) => (sameYear ? day?.slice(5) : day)).join(' – ');
}

/** The period of the same length before (by -1) or after (by 1) one; it ends now at the latest, null when it began later. */
export function steppedSpan({ start_ms, end_ms }: Span, by: 1 | -1, now: number): Span | null {
  const shift = by * (end_ms - start_ms);
  if (start_ms + shift >= now) return null;
  return { start_ms: start_ms + shift, end_ms: Math.min(end_ms + shift, now) };
}

const pad = (value: number, width = 2): string => String(value).padStart(width, '0');

/** 2026-11-21 09:05:07, in the browser's time zone; the same in both languages so that columns align. */
export function formatDateTime(ms: number, withMillis = false): string {
  const d = new Date(ms);
  const date = `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`;
  const time = formatClock(ms);
  return withMillis ? `${date} ${time}.${pad(d.getMilliseconds(), 3)}` : `${date} ${time}`;
}

/** 09:05:07 */
export function formatClock(ms: number): string {
  const d = new Date(ms);
  return `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}`;
}

/** A moment as short as it may be told: 09:05 of today, 11-20 09:05 of this year, else the whole date. */
export function formatSince(ms: number, now: number): string {
  const text = formatDateTime(ms).slice(0, -3);
  const today = formatDateTime(now);
  if (text.slice(0, 10) === today.slice(0, 10)) return text.slice(11);
  return text.slice(0, 4) === today.slice(0, 4) ? text.slice(5) : text;
}

export interface Amount {
  count: number;
  unit: 'ms' | 's' | 'min' | 'h' | 'd';
}

/** A duration in its largest sensible unit. */
export function amountOf(ms: number): Amount {
  const positive = Math.max(0, ms);
  if (positive < 1000) return { count: Math.round(positive), unit: 'ms' };
  if (positive < 60_000) return { count: Math.floor(positive / 1000), unit: 's' };
  if (positive < HOUR_MS) return { count: Math.floor(positive / 60_000), unit: 'min' };
  if (positive < DAY_MS) return { count: Math.floor(positive / HOUR_MS), unit: 'h' };
  return { count: Math.floor(positive / DAY_MS), unit: 'd' };
}

/** As amountOf, for ages: what is younger than a second is 0 s. */
export function ageOf(ms: number): Amount {
  return ms < 1000 ? { count: 0, unit: 's' } : amountOf(ms);
}
