import { beforeEach, expect, test } from 'vitest';
import { MAX_TABS, useOpened } from '@/app/opened';
import { mayOpenTab } from '@/lib/deviceTabs';
import { landingPath, mayOpen, menuOf, parseSearch, stringifySearch, tabId } from '@/lib/screens';
import type { Screen } from '@/lib/screens';

const screen = (path: string, more: Partial<Screen> = {}): Screen =>
  ({
    path,
    titleKey: 'x:y',
    icon: 'lock',
    layout: 'admin',
    permission: 'P',
    load: () => Promise.reject(),
    ...more,
  }) as Screen;

test.each([
  [0, [], false],
  [0, ['P'], true],
  [1, [], false],
  [1, ['P'], true],
  [4, ['Q'], false],
])('user type %i with %o', (userType, permissions, allowed) => {
  expect(mayOpen(screen('/a'), { userType, permissions })).toBe(allowed);
});

test('the landing page is the first menu entry that the user may see', () => {
  const all = [
    screen('/detail'),
    screen('/a', { section: 's', permission: 'A' }),
    screen('/b', { section: 's', permission: 'B' }),
  ];
  expect(landingPath(all, { userType: 3, permissions: ['B'] })).toBe('/b');
  expect(landingPath(all, { userType: 3, permissions: [] })).toBeNull();
  expect([...menuOf(all, { userType: 3, permissions: ['B'] }).values()].flat().map(({ path }) => path)).toEqual(['/b']);
});

test('addresses keep plain text and lose what is empty', () => {
  expect(stringifySearch({ a: 1, b: '', c: undefined, d: 'x y&z' })).toBe('?a=1&d=x+y%26z');
  expect(parseSearch('?a=1&d=x+y%26z')).toEqual({ a: '1', d: 'x y&z' });
  expect(stringifySearch({})).toBe('');
});

beforeEach(() => useOpened.getState().close(useOpened.getState().tabs.map(({ id }) => id)));

test('one page for each device, however its tab changes', () => {
  const detail = screen('/d', { tabKeys: ['device_id'] });
  const { show } = useOpened.getState();
  show(detail, { device_id: '1', tab: 'live' });
  show(detail, { device_id: '1', tab: 'info' });
  show(detail, { device_id: '2' });
  expect(useOpened.getState().tabs.map((tab) => [tab.id, tab.search.tab])).toEqual([
    [tabId(detail, { device_id: '1' }), 'info'],
    [tabId(detail, { device_id: '2' }), undefined],
  ]);
});

test('beyond the bound the page that was unused longest goes', () => {
  const { show } = useOpened.getState();
  for (let id = 0; id < MAX_TABS; id++) show(screen(`/p${id}`), {});
  show(screen('/p0'), {});
  show(screen('/new'), {});
  const paths = useOpened.getState().tabs.map((tab) => tab.screen.path);
  expect(paths).toHaveLength(MAX_TABS);
  expect(paths).toContain('/p0');
  expect(paths).not.toContain('/p1');
});

test.each([0, 3])('a tab of a device asks its permission of user type %i too', (userType) => {
  const tab = { name: 't', titleKey: 'x:y' };
  const access = { userType, permissions: ['P'] };
  expect(mayOpenTab(tab, access)).toBe(true);
  expect(mayOpenTab({ ...tab, permission: 'P' }, access)).toBe(true);
  expect(mayOpenTab({ ...tab, permission: 'Q' }, access)).toBe(false);
  expect(mayOpenTab({ ...tab, permission: 'P', userTypes: [0] }, access)).toBe(userType === 0);
  expect(mayOpenTab({ ...tab, permission: 'P', cloudFlag: 'ot' }, access)).toBe(false);
});
