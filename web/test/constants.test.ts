import { expect, test, vi } from 'vitest';
import { API_BASE, DEVICE_LIST_TIMEOUT_MS, REFRESH_BEFORE_MS, REQUEST_TIMEOUT_MS } from '@/api/http';
import { CLOCK_MS } from '@/app/layout/clockPeriod';
import { MARGIN_PX, WHEEL_PART } from '@/app/layout/strip';
import { AFTER_PX, DURATION_MS } from '@/app/layout/toTop';
import { RAIL, RAIL_BELOW_PX, SCROLL_BAR_PX } from '@/app/layout/widths';
import { MOST_TABS } from '@/app/opened';
import { COPIED_MS } from '@/components/CopyText';
import { TOAST_MS } from '@/components/notices';
import { DIALOG_TABLE_PX } from '@/components/table/DataTable';
import { MOST_SHOWN } from '@/features/events/badge';
import { COMMAND_POLL_MS } from '@/features/monitor/api';
import { BEFORE_END_MS } from '@/lib/keepFresh';
import { HEARTBEAT_MS } from '@/lib/live/socket';
import { currentLanguage, DEFAULT_PAGE_SIZE, DEFAULT_SIZE, PAGE_SIZES, SIZES, usePreferences } from '@/lib/preferences';
import { NO_FLAGS } from '@/lib/screens';
import { PRESET_SPANS_MS, QUICK_RANGES } from '@/lib/time';
import { by, expectPlace, withFolder, withScreen } from './places';
import type { Place } from './places';

// Section 9 of the specification. Every item names its tests; an item of a feature that is still to be built names the
// screen or the folder that it comes with, and the list fails on the day that exists.

const HERE = 'web/test/constants.test.ts';
const EVENTS = 'web/test/events.test.ts';
const SHELL = 'web/test/shell.test.ts';
const FIRST_SIGHT = 'tests/browser/test_first_sight.py';
const CLOUD = 'cloud/tests/test_constants.py';

const SECTION_9: readonly [item: string, ...places: Place[]][] = [
  ['event page size 20', by(EVENTS, 'constants of the specification'), by(CLOUD, 'test_pages_of_events_have_twenty_rows')],
  ['default event start 1 minute ago', by(EVENTS, 'what is new began a minute ago, or with the oldest event that was told')],
  ['table height 300 px', by(HERE, 'a table inside of something else is 300 px high')],
  ['page sizes 10, 20, 30, 50, 100', by(HERE, 'page sizes, and the one at first')],

  ['notification badge caps at 999', by(HERE, 'the badge ends at 999, its popover is 338 px wide'), by(EVENTS, 'the badge of %d unread is %j')],
  ['popover width 338', by(HERE, 'the badge ends at 999, its popover is 338 px wide')],

  ['heartbeat 60 s', by(HERE, 'a heartbeat goes out every 60 s'), by('web/test/live-socket.test.ts', 'a heartbeat goes out every 60 s; without an answer within 5 s the connection counts as lost'), by(CLOUD, 'test_a_browser_may_miss_one_heartbeat')],
  ['clock refresh 1 s', by(HERE, 'the clock of the wall screens goes on every second')],
  ['token near expiry under 30 s', by(HERE, 'a token is refreshed with less than 30 s left, on a wall screen 10 minutes before its end'), by('web/test/http.test.ts', 'near expiry one refresh is made, however many calls wait for it')],
  ['monitor-screen refresh 10 minutes before expiry', by(SHELL, 'a wall screen refreshes its session ten minutes before its end, again and again')],

  ['request timeout 10000 ms, device list 30 s', by(HERE, 'a call waits 10 s, the device list 30 s'), by('web/test/http.test.ts', '%s waits %i ms')],
  ['error toasts 5000 ms', by(HERE, 'error toasts stay 5 s'), by('web/test/catalogue.test.ts', 'code %s of section 8')],
  ['tab strip scrolls by a quarter of the wheel delta', by(HERE, 'the tab strip moves by a quarter of the wheel and keeps 4 px'), by(SHELL, 'the wheel moves the strip by a quarter of its step, both ways')],
  ['4 px margin', by(SHELL, 'tab %i with the strip at %i px: %i px')],
  ['back-to-top after 300 px', by(HERE, 'back to the top is offered after 300 px and takes 800 ms')],
  ['scroll animation 800 ms', by(SHELL, 'the way to the top begins where it is, never turns, and ends at the top')],

  ['mobile breakpoint 1024 px (less 3 px for scrollbar)', by(HERE, 'the menu collapses below 1024 px, less 3 px for the scroll bar')],

  ['alarm and on/off notifications off; alarm tone on; on/off tone off', by(EVENTS, 'constants of the specification'), by(CLOUD, 'test_defaults_of_a_user')],
  ['language zh', by('web/test/preferences.test.ts', 'a browser in %s begins in Chinese'), by(FIRST_SIGHT, 'test_first_language_is_chinese_until_somebody_chooses'), by('tests/browser/test_local_page.py', 'test_first_language_is_chinese')],
  ['size medium (mini in another default)', by(HERE, 'medium at first, mini can be chosen'), by(CLOUD, 'test_defaults_of_a_user')],

  ['quick date ranges', by(HERE, 'the quick ranges, in their order'), by('web/test/time.test.ts', '%s')],

  ['colour contrast threshold 186', by('web/test/colours.test.ts', 'text is black on what is brighter than 186, else white')],
  ['GIS device threshold 1000', by('cloud/tests/domains/devices/test_positions.py', 'test_gis_devices_have_mst_1000_or_are_shown_in_gis')],

  ['command status delay 2000 ms', by(HERE, 'the state of a command is looked at after 2 s')],
  ['minimum Modbus interval 5', by('edge-agent/tests/config/test_constants.py', 'test_pause_between_requests_is_5_ms_unless_set')],
  ["format start characters '##'", withFolder('edge-agent/edge_agent/forwarding/hj212')],
  ["live player template 'simple'", withScreen('/camera/index')],
  ['a configured gateway brand name', by('web/test/devices.test.ts', 'proposes the brand of the gateways as the beginning of their model')],
  ['rule permission off', by(HERE, 'Chinese at first, the menu open, rules and OTA off'), by(CLOUD, 'test_switches_of_the_cloud_are_off')],
  ['files kept 14 days', by('cloud/tests/domains/jobs/test_jobs.py', 'test_files_go_after_14_days_or_when_deleted')],
  ['scada viewer path /scada/index.html', withScreen('/scada/app')],
  ['graph library upload path /upload/graphlib', withScreen('/other/graphLib')],
  ['two hosts and two web-socket endpoints, whose addresses are not given', by(HERE, 'all calls go to the page’s own host')],
];

test.each(SECTION_9)('section 9: %s has its place', (_item, ...places) => places.forEach(expectPlace));

test('page sizes, and the one at first', () => {
  expect([[...PAGE_SIZES], DEFAULT_PAGE_SIZE]).toEqual([[10, 20, 30, 50, 100], 20]);
});

test('a table inside of something else is 300 px high', () => {
  expect(DIALOG_TABLE_PX).toBe(300);
});

test('the badge ends at 999, its popover is 338 px wide', async () => {
  vi.stubGlobal('localStorage', { getItem: () => null }); // sounds look for what the browser remembers
  const { POPOVER_PX } = await import('@/features/events/components/Bell');
  vi.unstubAllGlobals();
  expect([MOST_SHOWN, POPOVER_PX]).toEqual([999, 338]);
});

test('a heartbeat goes out every 60 s', () => {
  expect(HEARTBEAT_MS).toBe(60_000);
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

test('copied is said for 1.5 s', () => {
  expect(COPIED_MS).toBe(1_500);
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
  expect(currentLanguage({ language: null })).toBe('zh');
  expect(usePreferences.getState().sidebarCollapsed).toBe(false);
  expect(NO_FLAGS).toEqual({ ot: 0, rl: 0, ss: 0, rg: 0, announced: 0 });
});

test('medium at first, mini can be chosen', () => {
  expect([DEFAULT_SIZE, usePreferences.getState().size]).toEqual(['medium', 'medium']);
  expect(SIZES).toContain('mini');
});

test('the quick ranges, in their order', () => {
  expect(QUICK_RANGES).toEqual([
    'pastHour', 'today', 'yesterday', 'past7Days', 'past30Days', 'thisMonth', 'lastMonth', 'halfYear', 'oneYear',
  ]);
});

test('the preset times, beside the calendar', () => {
  const MINUTE = 60_000;
  expect(PRESET_SPANS_MS.map((ms) => ms / MINUTE)).toEqual([1, 5, 10, 15, 30, 60, 180, 360, 720, 1440, 10_080, 21_600, 43_200, 129_600]);
});

test('the state of a command is looked at after 2 s', () => {
  expect(COMMAND_POLL_MS).toBe(2_000);
});

test('all calls go to the page’s own host', () => {
  expect(API_BASE).toBe('/api/v1');
});

test('twelve pages are kept alive', () => {
  expect(MOST_TABS).toBe(12);
});
