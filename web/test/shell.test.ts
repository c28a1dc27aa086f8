import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inView, wheeled } from '@/app/layout/strip';
import { position } from '@/app/layout/toTop';
import { keepFresh, RETRY_MS, waitMs } from '@/lib/keepFresh';
import { MAX_CHOICES, ranked } from '@/lib/palette';
import { inOrder, isSafe, isScreen } from '@/lib/quickEntries';
import { accessOf, isOtaHost, PLAIN_PLATFORM } from '@/lib/session';

const tabs = Array.from({ length: 10 }, (_, at) => ({ left: 8 + at * 100, width: 100 }));
const TOTAL = 1016;

test.each([
  [0, 300, 0],
  [9, 0, TOTAL - 400],
  [-1, 120, 120],
  [5, 0, 8 + 700 + 4 - 400],
  [2, 300, 8 + 100 - 4],
  [4, 300, 300],
  [1, 300, 4],
])('tab %i with the strip at %i px: %i px', (active, scrollLeft, expected) => {
  expect(inView(tabs, active, scrollLeft, 400, TOTAL)).toBe(expected);
});

test('a strip that has room does not move', () => {
  expect(inView(tabs.slice(0, 3), 1, 0, 900, 900)).toBe(0);
  expect(inView(tabs.slice(0, 3), 2, 0, 900, 900)).toBe(0);
});

test('the wheel moves the strip by a quarter of its step, both ways', () => {
  expect([wheeled(100, 80), wheeled(100, -80)]).toEqual([120, 80]);
});

test('the way to the top begins where it is, never turns, and ends at the top', () => {
  const way = Array.from({ length: 81 }, (_, step) => position(1000, step * 10));
  expect([way[0], way.at(-1), position(1000, 5000)]).toEqual([1000, 0, 0]);
  expect(way.every((at, step) => step === 0 || at <= (way[step - 1] as number))).toBe(true);
});

test('the palette finds by words in any order, titles first', () => {
  const choices = [
    { id: '/a', title: 'Alarm log', group: 'Alarms', words: '/alarm/alarmlog' },
    { id: '/b', title: 'Sign-in log', group: 'Users', words: '/user/loginLog' },
    { id: '/c', title: 'Users', group: 'Users', words: '/user/authuser' },
  ];
  const ids = (query: string): string[] => ranked(choices, query).map(({ id }) => id);
  expect(ids('')).toEqual(['/a', '/b', '/c']);
  expect(ids('log')).toEqual(['/a', '/b']);
  expect(ids('LOG user')).toEqual(['/b']);
  expect(ids('users')).toEqual(['/c', '/b']);
  expect(ids('authuser')).toEqual(['/c']);
  expect(ids('nothing')).toEqual([]);
  expect(
    ranked(
      Array.from({ length: 40 }, (_, id) => ({ ...choices[0]!, id: String(id) })),
      'alarm',
    ),
  ).toHaveLength(MAX_CHOICES);
});

const entry = (url: string, position = 0, newWindow = false) => ({ url, text: 't', icon: '', newWindow, position });

test('quick entries: in their order, without what a browser must not open', () => {
  const urls = inOrder([
    entry('/b', 2),
    entry('https://a.example', 1),
    entry('javascript:alert(1)'),
    entry('//evil.example'),
  ]).map(({ url }) => url);
  expect(urls).toEqual(['https://a.example', '/b']);
  expect([isSafe('http://a'), isSafe('data:text/html,x'), isSafe('/\\evil')]).toEqual([true, false, false]);
  expect([isScreen(entry('/a')), isScreen(entry('/a', 0, true)), isScreen(entry('https://a'))]).toEqual([
    true,
    false,
    false,
  ]);
});

test('the host of OTA is told from others by its name alone', () => {
  const platform = { ...PLAIN_PLATFORM, otaHosts: ['OTA.example'] };
  expect([isOtaHost({ platform }, 'ota.example'), isOtaHost({ platform }, 'x.ota.example')]).toEqual([true, false]);
  expect(accessOf({ user: null, permissions: [], platform }).userType).toBe(-1);
});

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

const after = (ms: number, work: () => void): (() => void) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

test('a wall screen refreshes its session ten minutes before its end, again and again', async () => {
  const asked: number[] = [];
  let end = 30 * 60_000;
  const refresh = async (): Promise<void> => {
    asked.push(Date.now() / 60_000);
    end = Date.now() + 30 * 60_000;
  };
  const stop = keepFresh({ endsAtMs: () => end, refresh, now: Date.now, after });
  await vi.advanceTimersByTimeAsync(65 * 60_000);
  expect(asked).toEqual([20, 40, 60]);
  stop();
  await vi.advanceTimersByTimeAsync(60 * 60_000);
  expect(asked).toHaveLength(3);
});

test('a refresh that fails is tried again once a minute, and without a session not at all', async () => {
  let times = 0;
  let end: number | null = 5 * 60_000;
  keepFresh({ endsAtMs: () => end, refresh: async () => void (times += 1), now: Date.now, after });
  await vi.advanceTimersByTimeAsync(3 * RETRY_MS);
  expect(times).toBe(4);
  end = null;
  await vi.advanceTimersByTimeAsync(10 * RETRY_MS);
  expect(times).toBe(5);
  expect(waitMs(0, 1e9)).toBe(0);
});
