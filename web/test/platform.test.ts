import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { idFault, legibilityOf, nextLevelId } from '@/features/platform/levels';
import { DEFAULT_DOMAIN, emptyLooks, hostOf, looksOf } from '@/features/platform/looks';
import { ID_NAMES, isKnown, objectOf, OPERATIONS, UNATTENDED } from '@/features/platform/operations';
import { moved } from '@/features/platform/order';
import { QUICK_ICONS } from '@/components/quickIcons';
import { BRIGHT_FROM, brightness, parseColour } from '@/lib/colour';

test.each([
  [0, 2, ['b', 'c', 'a']],
  [2, 0, ['c', 'a', 'b']],
  [1, 1, ['a', 'b', 'c']],
  [0, -1, ['a', 'b', 'c']],
  [2, 3, ['a', 'b', 'c']],
  [0, 1, ['b', 'a', 'c']],
])('moved from %i to %i', (from, to, order) => {
  const list = ['a', 'b', 'c'];
  expect(moved(list, from, to)).toEqual(order);
  if (order.join() === 'a,b,c') expect(moved(list, from, to)).toBe(list);
});

test.each([
  ['iot.example.com', 'iot.example.com'],
  [' IoT.Example.COM ', 'iot.example.com'],
  ['https://iot.example.com:8443/login?x=1', 'iot.example.com'],
  ['192.168.1.10:8080', '192.168.1.10'],
  ['default', DEFAULT_DOMAIN],
  ['\u7269\u8054.example.com', 'xn--g2xw01a.example.com'],
  ['', null],
  ['a b', null],
  ['user@host', null],
  ['http://', null],
  ['_x.example.com', null],
  ['[::1]', null],
  ['a'.repeat(64), null],
])('host name of %s: %s', (text, host) => {
  expect(hostOf(text)).toBe(host);
});

test('an entry becomes a form and back without what the cloud adds', () => {
  const row = { domain: 'a.example', platform_title: 'T', demo: true, changed_ms: 1, user_name: 'admin' };
  expect(looksOf(row)).toEqual({ ...emptyLooks('a.example'), platform_title: 'T', demo: true });
});

test('numbers of levels: the first free one above 200; different ones from 1 to 9999', () => {
  const level = (id: number) => ({ id, title: 'x', color: '#fff' });
  expect(nextLevelId([])).toBe(201);
  expect(nextLevelId([level(201), level(203)])).toBe(202);
  expect(idFault([level(1), level(2)], 0)).toBeNull();
  expect(idFault([level(2), level(2)], 1)).toBe('taken');
  for (const id of [0, 10_000, 1.5, Number.NaN]) expect(idFault([level(id)], 0)).toBe('range');
});

test('every colour makes a mark that can be read; its text follows the threshold', () => {
  for (let step = 0; step < 512; step++) {
    const color = `rgb(${(step * 37) % 256}, ${(step * 91) % 256}, ${(step * 151) % 256})`;
    const found = legibilityOf(color);
    expect(found?.ratio, color).toBeGreaterThanOrEqual(4.5);
    expect(found?.text).toBe(brightness(parseColour(color) ?? [0, 0, 0]) > BRIGHT_FROM ? 'black' : 'white');
  }
  expect(legibilityOf('#c92a2a')?.isAdjusted).toBe(false);
  expect(legibilityOf('#999')?.isAdjusted).toBe(true);
  expect(legibilityOf('red')).toBeNull();
});

const wordOf = (name: string): string => (name === 'user_id' ? 'User' : name);

test.each([
  [{ ids: { user_id: 12 }, query: {}, changes: { user_name: 'x' } }, 'User 12'],
  [{ ids: {}, query: {}, changes: { title: 'T', user_name: 'new' } }, 'new'],
  [
    {
      ids: {},
      query: {},
      changes: {
        after: {
          gateway_id: 'g',
          device_title: 'Gate',
          slave: 's',
          slave_title: 'Boiler',
          point: 'p',
          ds_title: 'Pressure',
          action: 'W',
        },
      },
    },
    'Gate / Boiler / Pressure',
  ],
  [
    { ids: {}, query: {}, changes: { after: { total: 3, write_1: 'g s.p (Pressure, 17) = 5.5: done' } } },
    'g s.p (Pressure, 17) +2',
  ],
  [{ ids: {}, query: { kind: 'logo' }, changes: {} }, 'logo'],
  [{ ids: {}, query: {}, changes: { title: ['a'] } }, ''],
])('what %o was about: %s', (row, told) => {
  expect(objectOf(row, wordOf)).toBe(told);
});

const locale = (language: string) =>
  JSON.parse(readFileSync(new URL(`../src/features/platform/locales/${language}.json`, import.meta.url), 'utf8'));

test.each(['zh', 'en'])('%s has words for every known operation, switch and icon', (language) => {
  const { operation, icon, cloud } = locale(language);
  expect(Object.keys(operation).sort()).toEqual([...OPERATIONS, ...UNATTENDED].sort());
  expect(Object.keys(icon)).toEqual(expect.arrayContaining(Object.keys(QUICK_ICONS)));
  for (const flag of ['ot', 'rl']) expect(cloud[flag].brings).not.toBe('');
});

interface Operation {
  operationId: string;
}
const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
  readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'),
);
const api = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({ path, method, operationId })),
);

/** GETs that change something: the cloud marks the route, or the router of all routes of a file, with CHANGES. */
function changingGets(): string[] {
  const rooms = new URL('../../cloud/cloud/domains/', import.meta.url);
  const files = readdirSync(rooms, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('endpoints.py'),
  );
  return files.flatMap((name) => {
    const text = readFileSync(new URL(name, rooms), 'utf8');
    const all = /APIRouter\([^)]*CHANGES/.test(text);
    const routes = text.split(/^@router\.(?=get\()/m).slice(1);
    return routes.flatMap((route) => {
      const head = route.slice(0, route.indexOf('\nasync def'));
      const id = /operation_id="(\w+)"/.exec(head)?.[1];
      return id !== undefined && (all || head.includes('CHANGES')) ? [id] : [];
    });
  });
}

test('what changes something, and only that, has words in the log; so has what its path names', () => {
  const gets = changingGets();
  expect(gets).toEqual(expect.arrayContaining(['rebootDevice', 'deployDraft', 'gatewayPage']));
  // Sign-in has a log of its own.
  const changing = api.filter(
    ({ path, method, operationId }) =>
      (method !== 'get' || gets.includes(operationId)) && !path.startsWith('/api/v1/login/'),
  );
  expect([...OPERATIONS].sort()).toEqual(changing.map(({ operationId }) => operationId).sort());
  const named = changing.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''));
  expect([...new Set(named)].filter((name) => !(ID_NAMES as readonly string[]).includes(name))).toEqual([]);
  for (const language of ['zh', 'en'])
    expect(Object.keys(locale(language).id)).toEqual(expect.arrayContaining([...ID_NAMES]));
  expect(isKnown('somethingNew')).toBe(false);
});
