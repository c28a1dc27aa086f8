import { expect, test } from 'vitest';
import { DEVICE_LIST_TIMEOUT_MS, REFRESH_BEFORE_MS, REQUEST_TIMEOUT_MS } from '@/api/http';
import { CLOCK_MS } from '@/app/layout/clockPeriod';
import { MARGIN_PX, WHEEL_PART } from '@/app/layout/strip';
import { AFTER_PX, DURATION_MS } from '@/app/layout/toTop';
import { RAIL, RAIL_BELOW_PX, SCROLL_BAR_PX } from '@/app/layout/widths';
import { MOST_TABS } from '@/app/opened';
import { TOAST_MS } from '@/components/notices';
import { BEFORE_END_MS } from '@/lib/keepFresh';
import { DEFAULT_PAGE_SIZE, languageOf, PAGE_SIZES, usePreferences } from '@/lib/preferences';
import { NO_FLAGS } from '@/lib/screens';

// The specification's business constants, one test each. Every room appends its own.

test('page sizes, and the one at first', () => {
  expect([[...PAGE_SIZES], DEFAULT_PAGE_SIZE]).toEqual([[10, 20, 30, 50, 100], 20]);
});

test('the clock of the wall screens goes on every second', () => {
  expect(CLOCK_MS).toBe(1_000);
});

test('a token is refreshed with less than 30 s left, on a wall screen 10 minutes before its end', () => {
  expect([REFRESH_BEFORE_MS, BEFORE_END_MS]).toEqual([30_000, 600_000]);
});

test('a call waits 10 s, the device list 30 s', () => {
  expect([REQUEST_TIMEOUT_MS, DEVICE_LIST_TIMEOUT_MS]).toEqual([10_000, 30_000]);
});

test('error toasts stay 5 s', () => {
  expect(TOAST_MS).toBe(5_000);
});

test('the tab strip moves by a quarter of the wheel and keeps 4 px', () => {
  expect([WHEEL_PART, MARGIN_PX]).toEqual([0.25, 4]);
});

test('back to the top is offered after 300 px and takes 800 ms', () => {
  expect([AFTER_PX, DURATION_MS]).toEqual([300, 800]);
});

test('the menu collapses below 1024 px, less 3 px for the scroll bar', () => {
  expect([RAIL_BELOW_PX, SCROLL_BAR_PX, RAIL]).toEqual([1024, 3, '(width < 1021px)']);
});

test('Chinese at first, the menu open, rules and OTA off', () => {
  expect([languageOf(undefined), languageOf('fr'), languageOf('zh-CN')]).toEqual(['zh', 'zh', 'zh']);
  expect(usePreferences.getState().sidebarCollapsed).toBe(false);
  expect(NO_FLAGS).toEqual({ ot: 0, rl: 0, ss: 0, rg: 0 });
});

test('twelve pages are kept alive', () => {
  expect(MOST_TABS).toBe(12);
});
