import { beforeEach, expect, test, vi } from 'vitest';
import { GO_KEYS, isShortcut } from '@/app/layout/keys';
import { keepRecent, MAX_RECENT, recentOf } from '@/app/layout/palette/recent';
import { entriesOf } from '@/app/layout/palette/useSearchResults';
import { screens } from '@/app/manifest';
import { initials } from '@/lib/initials';
import { marked } from '@/lib/palette';

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
});

test('what was found is marked, whatever its case and however often', () => {
  expect(marked('Pump 1 pump', 'PUMP')).toEqual([
    { text: 'Pump', hit: true },
    { text: ' 1 ', hit: false },
    { text: 'pump', hit: true },
  ]);
  expect(marked('锅炉压力', '压力 锅')).toEqual([
    { text: '锅', hit: true },
    { text: '炉', hit: false },
    { text: '压力', hit: true },
  ]);
  expect(marked('Pump', ' ')).toEqual([{ text: 'Pump', hit: false }]);
  expect(marked('', 'a')).toEqual([]);
});

test.each([
  ['设备监控', 'sbjk'],
  ['报警日志', 'bjrz'],
  ['用户', 'yh'],
  ['OTA 网关', 'ota wg'],
  ['在线', 'zx'],
  ['安全', 'aq'],
])('%s is found by %s', (title, typed) => {
  expect(initials(title)).toBe(typed);
});

const FOUND = {
  devices: [{ id: 3, gateway_id: 'gw-3', title: 'Pump', binder_title: 'Mine', online: true }],
  slaves: [{ device_id: 3, device_title: 'Pump', name: 's 1', title: 'Drive' }],
  points: [
    {
      dsid: 9,
      device_id: 3,
      device_title: 'Pump',
      slave: 's 1',
      slave_title: 'Drive',
      name: 'p',
      title: 'Speed',
      unit: '',
    },
  ],
  projects: [{ id: 4, title: 'Mill', kind: 'project' }],
  users: [{ user_id: 5, user_name: 'li', nick_name: 'Li', user_type: 3 }],
  more: [],
};

test('each thing leads to its place; a point to its trend, for who may see it', () => {
  const hrefs = (permissions: string[]) =>
    Object.values(entriesOf(FOUND, { userType: 1, permissions }))
      .flat()
      .map(({ href }) => href);
  expect(hrefs(['HisData'])).toEqual([
    '/deviceDetail/index?device_id=3',
    '/deviceDetail/index?device_id=3&tab=live&slave=s+1',
    '/dataCenter/hisData?device_id=3&dsids=9',
    '/group/index?node=4',
    '/user/authuser?search=li&edit=5',
  ]);
  expect(hrefs([])[2]).toBe('/deviceDetail/index?device_id=3&tab=live&slave=s+1');
  expect(entriesOf(FOUND, { userType: 1, permissions: [] }, 5).users[0]?.href).toBe('/user/me');
  expect(entriesOf(FOUND, { userType: 1, permissions: [] }).devices[0]?.title).toBe('Pump [Mine]');
});

test('the last things are kept for each user by himself, each once, no more than some', () => {
  const thing = (id: number) => ({ id: String(id), kind: 'devices', title: 't', detail: '', href: '/a' });
  for (let id = 0; id < 10; id += 1) keepRecent(1, thing(id));
  keepRecent(1, thing(8));
  expect(recentOf(1).map(({ id }) => id)).toEqual(['8', '9', '7', '6', '5', '4']);
  expect([recentOf(1).length, recentOf(2).length]).toEqual([MAX_RECENT, 0]);
  kept.set('edge.palette.2', '[{"id":"x","kind":"a","title":"t","detail":"","href":"https://evil.example"}, 3, null]');
  expect(recentOf(2)).toEqual([]);
  kept.set('edge.palette.2', 'broken');
  expect(recentOf(2)).toEqual([]);
});

test('every letter is one screen that is there', () => {
  expect(new Set(GO_KEYS.map(([letter]) => letter)).size).toBe(GO_KEYS.length);
  for (const [letter, path] of GO_KEYS) {
    expect(letter).toMatch(/^[a-z]$/);
    expect(screens.find((screen) => screen.path === path)?.pending, path).toBeUndefined();
  }
});

test('no key acts together with another, or while a character is composed', () => {
  vi.stubGlobal('HTMLElement', Object);
  vi.stubGlobal('document', { querySelector: () => null });
  const key = {
    key: '?',
    ctrlKey: false,
    altKey: false,
    metaKey: false,
    isComposing: false,
    repeat: false,
    defaultPrevented: false,
    target: null,
  };
  expect(isShortcut(key)).toBe(true);
  for (const held of ['ctrlKey', 'altKey', 'metaKey', 'isComposing', 'repeat', 'defaultPrevented'])
    expect(isShortcut({ ...key, [held]: true }), held).toBe(false);
  vi.stubGlobal('document', { querySelector: () => ({}) });
  expect(isShortcut(key)).toBe(false);
});
