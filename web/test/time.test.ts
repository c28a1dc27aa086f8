import { expect, test } from 'vitest';
import { ageOf, amountOf, formatDateTime, QUICK_RANGES, quickSpan } from '@/lib/time';

const now = new Date(2026, 2, 31, 14, 30, 15).getTime(); // 31 March
const day = (month: number, date: number): number => new Date(2026, month - 1, date).getTime();

test.each([
  ['pastHour', now - 3_600_000, now],
  ['today', day(3, 31), now],
  ['yesterday', day(3, 30), day(3, 31)],
  ['past7Days', now - 7 * 86_400_000, now],
  ['past30Days', now - 30 * 86_400_000, now],
  ['thisMonth', day(3, 1), now],
  ['lastMonth', day(2, 1), day(3, 1)],
  ['halfYear', new Date(2025, 8, 30, 14, 30, 15).getTime(), now],
  ['oneYear', new Date(2025, 2, 31, 14, 30, 15).getTime(), now],
] as const)('%s', (range, start, end) => {
  expect(quickSpan(range, now)).toEqual({ start_ms: start, end_ms: end });
});

test('there are the nine quick ranges of the specification', () => {
  expect(QUICK_RANGES).toHaveLength(9);
});

test('times have the same width in every language', () => {
  expect(formatDateTime(new Date(2026, 0, 2, 3, 4, 5, 6).getTime(), true)).toBe('2026-01-02 03:04:05.006');
});

test.each([
  [0, { count: 0, unit: 'ms' }],
  [999, { count: 999, unit: 'ms' }],
  [59_999, { count: 59, unit: 's' }],
  [3_599_999, { count: 59, unit: 'min' }],
  [86_399_999, { count: 23, unit: 'h' }],
  [86_400_000, { count: 1, unit: 'd' }],
  [-5, { count: 0, unit: 'ms' }],
])('%i ms', (ms, amount) => {
  expect(amountOf(ms)).toEqual(amount);
});

test('an age has no milliseconds', () => {
  expect(ageOf(400)).toEqual({ count: 0, unit: 's' });
});
