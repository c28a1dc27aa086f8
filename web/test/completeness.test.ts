import { expect, test } from 'vitest';
import type { OnOfflineEntry } from '@/features/completeness/api';
import { isOffline, labelOf, markOf, rowsOf, stepOf, toneOf, widthOf } from '@/features/completeness/strip';
import { percentText } from '@/lib/percent';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const reads = { missed: 0, percent: 100, not_reported_ms: 0, since_ms: null, no_figure: null };
const counts = { received: 10, late: 0, missing: 0, dropped_samples: 0, collection: reads };
const unread = { ...reads, missed: 1, percent: 99 };
const none = { ...reads, percent: null };

test.each([
  [counts, 'complete', 'ok'],
  [{ ...counts, late: 3 }, 'late', 'ok'],
  [{ ...counts, late: 3, missing: 1 }, 'missing', 'bad'],
  [{ ...counts, dropped_samples: 1 }, 'dropped', 'warn'],
  [{ ...counts, collection: unread }, 'unread', 'bad'],
  [{ ...counts, received: 0, collection: unread }, 'unread', 'bad'],
  [{ ...counts, missing: 1, collection: unread }, 'missing', 'bad'],
  [{ ...counts, collection: { ...none, no_figure: 'never_reported' } }, 'unknown', 'off'],
  [{ ...counts, late: 3, collection: { ...none, no_figure: 'not_yet' } }, 'unknown', 'off'],
  [{ ...counts, collection: { ...none, no_figure: 'not_reported' } }, 'unknown', 'off'],
  [{ ...counts, collection: { ...none, no_figure: 'nothing_expected' } }, 'complete', 'ok'],
  [{ ...counts, collection: { ...reads, not_reported_ms: 1 } }, 'unknown', 'off'],
  [{ ...counts, collection: { ...reads, since_ms: 1 } }, 'unknown', 'off'],
  [{ ...counts, received: 0 }, 'nothing', 'off'],
  [{ ...counts, received: 0, missing: 1 }, 'missing', 'bad'],
] as const)('%o is %s', (given, mark, tone) => {
  expect([markOf(given), toneOf(given)]).toEqual([mark, tone]);
});

test.each([
  [null, '–'],
  [100, '100 %'],
  [99.999, '99.999 %'],
  [99.9995, '99.999 %'],
  [98.29, '98.290 %'],
  [0, '0.000 %'],
])('%s is told as %s and never rounded up', (percent, text) => {
  expect(percentText(percent)).toBe(text);
});

test('hours up to eight days, then days', () => {
  expect([8 * DAY, 8 * DAY + 1].map((length) => widthOf({ start_ms: 0, end_ms: length }))).toEqual(['hour', 'day']);
});

test('each hour stands at its own place of its own day', () => {
  const start = Date.UTC(2026, 10, 20, 14); // 22:00 in a zone of +8
  const buckets = [0, 1, 2, 3].map((hour) => ({ start_ms: start + hour * HOUR }));
  const rows = rowsOf(buckets, 'hour', 8 * 60);
  expect(rows.map((row) => labelOf(row, 'hour'))).toEqual(['11-20', '11-21']);
  expect(rows.map((row) => row.cells.length)).toEqual([24, 24]);
  expect(rows.flatMap((row) => row.cells.filter(({ index }) => index !== null))).toEqual([
    { place: 22, index: 0 },
    { place: 23, index: 1 },
    { place: 0, index: 2 },
    { place: 1, index: 3 },
  ]);
});

test('each day stands at its place of its month', () => {
  const buckets = [30, 31, 32].map((day) => ({ start_ms: Date.UTC(2026, 9, day) }));
  const rows = rowsOf(buckets, 'day', 0);
  expect(rows.map((row) => [labelOf(row, 'day'), row.cells.findIndex(({ index }) => index !== null)])).toEqual([
    ['2026-10', 29],
    ['2026-11', 0],
  ]);
});

test('only absences of the gateway itself are marked, up to their end', () => {
  const away = (slave: string | null, offline_ms: number, online_ms: number | null): OnOfflineEntry => ({
    id: 1,
    device_id: 1,
    slave,
    slave_title: slave,
    offline_ms,
    online_ms,
    duration_ms: 0,
    reason: 'link_lost',
  });
  const hour = { start_ms: HOUR, end_ms: 2 * HOUR };
  expect(isOffline(hour, [away(null, 0, HOUR + 1)])).toBe(true);
  expect(isOffline(hour, [away(null, 0, HOUR)])).toBe(false);
  expect(isOffline(hour, [away(null, 2 * HOUR, null)])).toBe(false);
  expect(isOffline(hour, [away(null, 5, null)])).toBe(true);
  expect(isOffline(hour, [away('boiler', 0, null)])).toBe(false);
});

test.each([
  ['ArrowRight', 5, 6],
  ['ArrowLeft', 0, 0],
  ['ArrowDown', 5, 29],
  ['ArrowUp', 5, 0],
  ['Home', 9, 0],
  ['End', 9, 47],
  ['a', 9, null],
])('%s from %i leads to %s', (key, from, to) => {
  expect(stepOf(key, from, 48, 'hour')).toBe(to);
});
