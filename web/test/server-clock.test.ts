import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { observeDate, observeServerTime, serverNow } from '@/lib/serverClock';

const NOW = Date.UTC(2026, 10, 22, 0, 0, 30);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  observeServerTime(NOW, NOW, NOW, 0);
});
afterEach(() => vi.useRealTimers());

const header = (ms: number): string => new Date(ms).toUTCString();
const off = (): number => serverNow() - Date.now();

test.each([
  ['at once', 10, 0],
  ['within the second', 10, 999],
  ['a renewal of the header late', 10, 2500],
  ['read eight seconds late by a busy page', 8000, 8000],
])('a right clock stays right when a reply comes %s', (_name, wait, old) => {
  observeDate(header(NOW - old), NOW - wait, NOW);
  expect(off()).toBe(0);
});

test.each([
  ['a minute behind', 60_000],
  ['a day behind', 86_400_000],
  ['a minute ahead', -60_000],
  ['an hour ahead', -3_600_000],
])('a clock that is %s is put right to 3 s by a header, and exactly by further replies', (_name, ahead) => {
  observeDate(header(NOW + ahead), NOW - 200, NOW);
  expect(Math.abs(off() - ahead)).toBeLessThanOrEqual(3200);
  observeServerTime(NOW + ahead, NOW, NOW, 0);
  expect(off()).toBe(ahead);
});

test('no header and a broken one say nothing', () => {
  observeDate(null, NOW - 5, NOW);
  observeDate('yesterday', NOW - 5, NOW);
  expect(off()).toBe(0);
});
