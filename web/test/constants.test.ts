import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { screens } from '@/app/manifest';
import { DIALOG_TABLE_PX } from '@/components/table/DataTable';
import { currentLanguage, usePreferences } from '@/lib/preferences';
import { NO_FLAGS } from '@/lib/screens';
import { PRESET_SPANS_MS } from '@/lib/time';

// What constants of section 9 of the specification are outside of a page; test/components/constants.test.tsx and
// tests/browser/test_constants.py show what a user sees of them.

/** Constants of screens that are announced only: each comes with its test. */
test.each(['/camera/index', '/scada/app', '/other/graphLib'])('%s is still to be built', (path) => {
  expect(screens.find((screen) => screen.path === path)?.pending, 'built: test its constant of section 9').toBe(true);
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

test('Chinese at first, the menu open, rules and OTA off', () => {
  expect(currentLanguage({ language: null })).toBe('zh');
  expect(usePreferences.getState().sidebarCollapsed).toBe(false);
  expect(NO_FLAGS).toEqual({ ot: 0, rl: 0, ss: 0, rg: 0, announced: 0 });
});

test('the preset times, beside the calendar', () => {
  const MINUTE = 60_000;
  expect(PRESET_SPANS_MS.map((ms) => ms / MINUTE)).toEqual([
    1, 5, 10, 15, 30, 60, 180, 360, 720, 1440, 10_080, 21_600, 43_200, 129_600,
  ]);
});
