import i18next from 'i18next';
import { expect, test } from 'vitest';
import { ApiError } from '@/api/errors';
import { fieldOf } from '@/components/form/fieldErrors';
import { refusalText } from '@/components/refusal';
import { selected } from '@/components/table/useSelection';
import { target } from '@/components/table/useRowKeys';
import { csvText } from '@/lib/csv';
import { expiryOf, EXPIRY_AHEAD_DAYS } from '@/lib/expiry';
import { statusOf } from '@/lib/statusCodes';
import { daysOf, formatDateTime, QUICK_RANGES, quickSpan, steppedSpan } from '@/lib/time';
import { matchingNodes, ticked, tickOf, wayTo, withChildren } from '@/lib/tree';
import type { TreeNode } from '@/lib/tree';

test('CSV: quoted where needed, formulas made harmless, numbers left alone', () => {
  const lines = [
    ['a,b', 'say "x"', 'two\nlines'],
    ['=1+1', '-5.5', '+86 138', '@SUM(A1)'],
  ];
  expect(csvText(lines)).toBe('"a,b","say ""x""","two\nlines"\r\n\'=1+1,-5.5,\'+86 138,\'@SUM(A1)\r\n');
});

const refusal = (field: string, reason = '', args = {}): ApiError =>
  new ApiError({ code: 10002, field, rule: 'r', reason, args });

test.each([
  ['body.name', 'name'],
  ['name', 'name'],
  ['body.user_name', 'name'],
  ['permissions.3', 'permissions'],
  ['body', null],
  ['other', null],
  ['', null],
])('refusal of %j stands at %s', (told, field) => {
  expect(fieldOf(refusal(told), ['name', 'permissions'], { user_name: 'name' })).toBe(field);
});

test('a reason has words in whichever namespace, filled with the arguments', async () => {
  await i18next.init({
    lng: 'en',
    resources: { en: { base: {}, users: { refusal: { user: { has_below: '{{users}} users below' } } } } },
  });
  expect(refusalText(refusal('', 'user.has_below', { users: 3 }))).toBe('3 users below');
  expect(refusalText(refusal('', 'user.other'))).toBeNull();
  expect(refusalText(refusal(''))).toBeNull();
  expect(refusalText(new Error('x'))).toBeNull();
});

test('selection: one row, a range, and a range taken away', () => {
  const order = [1, 2, 3, 4, 5];
  const two = selected(new Set(), order, null, 1);
  expect([...two]).toEqual([2]);
  const range = selected(two, order, 1, 3);
  expect([...range]).toEqual([2, 3, 4]);
  expect([...selected(range, order, 3, 1)]).toEqual([]);
  expect(selected(range, order, null, 9)).toBe(range);
});

test.each([
  ['ArrowDown', 4, 4],
  ['ArrowUp', 0, 0],
  ['PageDown', 1, 4],
  ['PageUp', 4, 0],
  ['Home', 3, 0],
  ['End', 0, 4],
  ['a', 2, null],
])('%s from row %i of 5 leads to %s', (key, here, to) => {
  expect(target(key, here, 4)).toBe(to);
});

const DAY = new Date(2026, 10, 21, 15).getTime();
const days = (count: number, hour = 1): number => new Date(2026, 10, 21 + count, hour).getTime();

test.each([
  [null, { kind: 'never' }],
  [0, { kind: 'never' }],
  [days(-1), { kind: 'expired' }],
  [days(0, 23), { kind: 'expired' }],
  [days(1, 0), { kind: 'soon', days: 1 }],
  [days(60), { kind: 'soon', days: 60 }],
  [days(61), { kind: 'later' }],
])('expiry of %s', (due, expected) => {
  expect(EXPIRY_AHEAD_DAYS).toBe(60);
  expect(expiryOf(due, DAY)).toEqual(expected);
});

test('status codes: user 0 disabled, on/off 0 offline, unknown is null', () => {
  expect(statusOf('user', 0)).toEqual({ tone: 'off', key: 'base:code.user.0' });
  expect(statusOf('onoff', 0)?.tone).toBe('bad');
  expect(statusOf('onoff', 1)?.tone).toBe('ok');
  expect([0, 1, 2].map((code) => statusOf('alarmLog', code)?.tone)).toEqual(['bad', 'ok', 'info']);
  expect(statusOf('order', 9)).toBeNull();
});

test('one period back and on; never into the future', () => {
  const now = DAY;
  const yesterday = quickSpan('yesterday', now);
  const before = steppedSpan(yesterday, -1, now);
  expect(formatDateTime(before?.start_ms ?? 0)).toBe('2026-11-19 00:00:00');
  expect(steppedSpan(before ?? yesterday, 1, now)).toEqual(yesterday);
  expect(steppedSpan(yesterday, 1, now)).toEqual({ start_ms: yesterday.end_ms, end_ms: now });
  expect(steppedSpan({ start_ms: now - 1000, end_ms: now }, 1, now)).toBeNull();
});

const TREE: readonly TreeNode[] = [
  {
    id: 'm',
    label: 'Monitor',
    children: [
      { id: 'm.l', label: 'List', children: [{ id: 'm.l.x', label: 'Export' }] },
      { id: 'm.m', label: 'Map' },
    ],
  },
  { id: 'e', label: 'Alarms' },
];

test('tree: a search keeps the way to what it finds, and all below that', () => {
  const shape = (nodes: readonly TreeNode[]): string =>
    nodes.map((node) => `${node.id}[${shape(node.children ?? [])}]`).join('');
  expect(shape(matchingNodes(TREE, ' exp '))).toBe('m[m.l[m.l.x[]]]');
  expect(shape(matchingNodes(TREE, 'list'))).toBe('m[m.l[m.l.x[]]]');
  expect(matchingNodes(TREE, 'nothing')).toEqual([]);
  expect(matchingNodes(TREE, ' ')).toBe(TREE);
  expect(wayTo(TREE, 'm.l.x').map((node) => node.id)).toEqual(['m', 'm.l', 'm.l.x']);
  expect(shape(withChildren(TREE, 'e', [{ id: 'new', label: 'New' }]))).toBe('m[m.l[m.l.x[]]m.m[]]e[new[]]');
});

test('tree: a tick takes those below and above along, unticking those below', () => {
  const on = ticked(TREE, new Set(), 'm.l');
  expect([...on].sort()).toEqual(['m', 'm.l', 'm.l.x']);
  const [monitor] = TREE;
  expect(monitor && tickOf(monitor, on)).toBe('some');
  expect(monitor && tickOf(monitor, ticked(TREE, on, 'm.m'))).toBe('all');
  expect([...ticked(TREE, on, 'm.l')]).toEqual(['m']);
  expect([...ticked(TREE, on, 'm')]).toEqual([]);
  expect(ticked(TREE, on, 'none')).toBe(on);
});

test('a quick range of days says which days it means', () => {
  const now = new Date(2026, 0, 3, 9, 5).getTime();
  const said = Object.fromEntries(QUICK_RANGES.map((range) => [range, daysOf(range, quickSpan(range, now))]));
  expect(said).toMatchObject({
    pastHour: '',
    today: '01-03',
    yesterday: '01-02',
    thisMonth: '01-01 – 01-03',
    lastMonth: '12-01 – 12-31',
    past7Days: '2025-12-27 – 2026-01-03',
  });
});
