import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { API_BASE } from '@/api/http';
import { CLOCK_MS } from '@/app/layout/clockPeriod';
import { AFTER_PX, DURATION_MS } from '@/app/layout/toTop';
import { MOST_TABS } from '@/app/opened';
import { COPIED_MS } from '@/components/useCopied';
import { DIALOG_TABLE_PX } from '@/components/table/DataTable';
import { currentLanguage, usePreferences } from '@/lib/preferences';
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
const HTTP = 'web/test/http.test.ts';
const BELL = 'web/test/components/events.test.tsx';
/** In the browser. */
const MEASURED = 'tests/browser/test_constants.py';

const SECTION_9: readonly [item: string, ...places: Place[]][] = [
  [
    'event page size 20',
    by(MEASURED, 'test_notifications_are_338_px_wide_and_their_list_300_px_high'),
    by(CLOUD, 'test_pages_of_events_have_twenty_rows'),
  ],
  [
    'default event start 1 minute ago',
    by(EVENTS, 'what is new began a minute ago, or with the oldest event that was told'),
  ],
  [
    'table height 300 px',
    by(HERE, 'tables in dialogs, drawers and popovers are 300 px high: %s'),
    by(MEASURED, 'test_notifications_are_338_px_wide_and_their_list_300_px_high'),
  ],
  [
    'page sizes 10, 20, 30, 50, 100',
    by(MEASURED, 'test_pages_of_a_list'),
    by('web/test/list-state.test.ts', 'address %j'),
  ],

  [
    'notification badge caps at 999',
    by(BELL, 'the badge of %i unread events says %s'),
    by(EVENTS, 'the badge of %d unread is %j'),
  ],
  ['popover width 338', by(MEASURED, 'test_notifications_are_338_px_wide_and_their_list_300_px_high')],

  [
    'heartbeat 60 s',
    by(
      'web/test/live-socket.test.ts',
      'a heartbeat goes out every 60 s; without an answer within 5 s the connection counts as lost',
    ),
    by(CLOUD, 'test_a_browser_may_miss_one_heartbeat'),
  ],
  ['clock refresh 1 s', by('tests/browser/test_shell.py', 'test_wall_screen'), by(HERE, 'clock and way to the top')],
  [
    'token near expiry under 30 s',
    by(HTTP, 'a token with %i s left is refreshed %i times before a call'),
    by(HTTP, 'near expiry one refresh is made, however many calls wait for it'),
  ],
  [
    'monitor-screen refresh 10 minutes before expiry',
    by(SHELL, 'a wall screen refreshes its session ten minutes before its end, again and again'),
  ],

  ['request timeout 10000 ms, device list 30 s', by(HTTP, '%s waits %i ms')],
  [
    'error toasts 5000 ms',
    by(BELL, 'an error is shown for 5 s'),
    by('web/test/catalogue.test.ts', 'code %s of section 8'),
  ],
  [
    'tab strip scrolls by a quarter of the wheel delta',
    by('tests/browser/test_shell.py', 'test_strip_shows_the_active_page'),
    by(SHELL, 'the wheel moves the strip by a quarter of its step, both ways'),
  ],
  ['4 px margin', by(SHELL, 'tab %i with the strip at %i px: %i px')],
  ['back-to-top after 300 px', by(HERE, 'clock and way to the top')],
  [
    'scroll animation 800 ms',
    by(HERE, 'clock and way to the top'),
    by(SHELL, 'the way to the top begins where it is, never turns, and ends at the top'),
  ],

  ['mobile breakpoint 1024 px (less 3 px for scrollbar)', by(MEASURED, 'test_menu_collapses_below_1024_px_less_3')],

  [
    'alarm and on/off notifications off; alarm tone on; on/off tone off',
    by(EVENTS, 'without a choice nothing is told; alarms that are wanted sound, the way on and off does not'),
    by(CLOUD, 'test_defaults_of_a_user'),
  ],
  [
    'language zh',
    by('web/test/preferences.test.ts', 'a browser in %s begins in Chinese'),
    by(FIRST_SIGHT, 'test_first_language_is_chinese_until_somebody_chooses'),
    by('tests/browser/test_local_page.py', 'test_first_language_is_chinese'),
  ],
  [
    'size medium (mini in another default)',
    by(MEASURED, 'test_pages_of_a_list'),
    by(
      'web/test/preferences.test.ts',
      'sizes are those that the cloud keeps; medium without a choice, and only the others change the sheet',
    ),
    by(CLOUD, 'test_defaults_of_a_user'),
  ],

  ['quick date ranges', by('web/test/time.test.ts', '%s'), by(HERE, 'the quick ranges, in their order')],

  [
    'colour contrast threshold 186',
    by('web/test/colours.test.ts', 'text is black on what is brighter than 186, else white'),
  ],
  [
    'GIS device threshold 1000',
    by('cloud/tests/domains/devices/test_positions.py', 'test_gis_devices_have_mst_1000_or_are_shown_in_gis'),
  ],

  [
    'command status delay 2000 ms',
    by('web/test/components/write.test.tsx', 'the state of a command is asked for 2 s after it was sent'),
  ],
  ['minimum Modbus interval 5', by('edge-agent/tests/bus/test_bus.py', 'test_pause_is_5_ms_unless_set')],
  ["format start characters '##'", withFolder('edge-agent/edge_agent/forwarding/hj212')],
  ["live player template 'simple'", withScreen('/camera/index')],
  ['a configured gateway brand name', by('tests/browser/test_limits.py', 'test_the_brand_is_a_setting')],
  [
    'rule permission off',
    by('web/test/manifest.test.ts', '%s with %o: %s'),
    by('cloud/tests/domains/access/test_matrix.py', 'test_rules_page_needs_its_switch'),
    by(CLOUD, 'test_switches_of_the_cloud_are_off'),
  ],
  ['files kept 14 days', by('cloud/tests/domains/jobs/test_jobs.py', 'test_files_go_after_14_days_or_when_deleted')],
  ['scada viewer path /scada/index.html', withScreen('/scada/app')],
  ['graph library upload path /upload/graphlib', withScreen('/other/graphLib')],
  [
    'two hosts and two web-socket endpoints, whose addresses are not given',
    by('tests/browser/conftest.py', 'page'),
    by(HERE, 'all calls go to the page’s own host'),
  ],
];

test.each(SECTION_9)('section 9: %s has its place', (_item, ...places) => places.forEach(expectPlace));

test('a test that is not there, or is skipped, shows nothing', () => {
  for (const place of [
    by(HERE, 'no such test'),
    by('web/test/none.test.ts', 'x'),
    by(MEASURED, 'test_of_nothing'),
    by(MEASURED, 'test_menu'),
  ]) {
    expect(() => expectPlace(place), JSON.stringify(place)).toThrow();
  }
  for (const place of [withScreen('/monitor/device'), withFolder('web/src')])
    expect(() => expectPlace(place)).toThrow();
});

const SRC = new URL('../src/', import.meta.url);
const embedded = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.tsx'))
  .map((name) => [name, readFileSync(new URL(name, SRC), 'utf8')] as const)
  .map(
    ([name, text]) =>
      [
        name,
        name.endsWith('/ImportRows.tsx')
          ? text
          : [...text.matchAll(/<(Modal|Drawer|Popover)\b[^]*?<\/\1>/g)].join('\n'),
      ] as const,
  )
  .filter(([, text]) => text.includes('<DataTable'));

test.each(embedded)('tables in dialogs, drawers and popovers are 300 px high: %s', (_name, text) => {
  expect(DIALOG_TABLE_PX).toBe(300);
  for (const [table] of text.matchAll(/<DataTable\b[^]*?\/>/g)) expect(table).toContain('height={DIALOG_TABLE_PX}');
});

test('copied is said for 1.5 s', () => {
  expect(COPIED_MS).toBe(1_500);
});

test('Chinese at first, the menu open, rules and OTA off', () => {
  expect(currentLanguage({ language: null })).toBe('zh');
  expect(usePreferences.getState().sidebarCollapsed).toBe(false);
  expect(NO_FLAGS).toEqual({ ot: 0, rl: 0, ss: 0, rg: 0, announced: 0 });
});

test('the quick ranges, in their order', () => {
  expect(QUICK_RANGES).toEqual([
    'pastHour',
    'today',
    'yesterday',
    'past7Days',
    'past30Days',
    'thisMonth',
    'lastMonth',
    'halfYear',
    'oneYear',
  ]);
});

test('the preset times, beside the calendar', () => {
  const MINUTE = 60_000;
  expect(PRESET_SPANS_MS.map((ms) => ms / MINUTE)).toEqual([
    1, 5, 10, 15, 30, 60, 180, 360, 720, 1440, 10_080, 21_600, 43_200, 129_600,
  ]);
});

test('all calls go to the page’s own host', () => {
  expect(API_BASE).toBe('/api/v1');
});

test('twelve pages are kept alive', () => {
  expect(MOST_TABS).toBe(12);
});

test('clock and way to the top', () => {
  expect([CLOCK_MS, AFTER_PX, DURATION_MS]).toEqual([1_000, 300, 800]);
});
