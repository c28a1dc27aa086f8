import { expect, test } from 'vitest';
import { QueryClient } from '@tanstack/react-query';
import { devicesQuery } from '@/features/monitor/api';
import type { DeviceFilter, DeviceRow } from '@/features/monitor/api';
import { isOther, putRow } from '@/features/monitor/components/useLiveDevices';
import { isOfTheWord, measuredMs, tellingPoints, reportIntervalMs } from '@/features/monitor/newest';
import {
  complaintOf,
  isSilent,
  isSteady,
  slaveOnLockedPort,
  protocolsOf,
  silentOf,
  silentSlave,
  statusTone,
  wrongSecretAt,
} from '@/features/monitor/presence';
import { reasonKey } from '@/lib/reasons';
import { formatSince } from '@/lib/time';

test('a pushed row reaches the lists of the monitor and leaves other lists of gateways alone', () => {
  const cache = new QueryClient();
  const { queryKey } = devicesQuery({ page: 1 } as DeviceFilter);
  const rows = [{ id: 1 }, { id: 2 }] as DeviceRow[];
  cache.setQueryData(queryKey, { rows, total: 2 });
  cache.setQueryData(['devices', 'jump'], [{ id: 2 }]);
  putRow(cache, 2, { slaves_online: 3 });
  expect(cache.getQueryData(queryKey)).toEqual({ rows: [{ id: 1 }, { id: 2, slaves_online: 3 }], total: 2 });
  expect(cache.getQueryData(['devices', 'jump'])).toEqual([{ id: 2 }]);
});

test('protocols of a gateway: each once, unknown ones by their code', () => {
  const slaves = ['modbus_rtu', 'dlt645_2007', 'modbus_rtu', 'mc_3e', 'new_one'].map((protocol) => ({ protocol }));
  expect(protocolsOf(slaves)).toBe('Modbus RTU, DL/T 645-2007, MC 3E, new_one');
  expect(protocolsOf([])).toBe('');
});

const silent = { slave: 'meter', title: 'Steam meter', reason: 'no_answer', last_good_ms: 60_000, count: 3, total: 6 };
const told = (code: string, given: Record<string, string | number | null>) =>
  complaintOf({ status: 'partly', layer: 'bus', code, since_ms: 1, arguments: given }, 900_000);

test('a silent slave by its title, since its last good frame, and how many more', () => {
  expect(told('slave_silent', silent)).toMatchObject({
    title: 'Steam meter',
    silent_ms: 840_000,
    count: 2,
    reason: 'no_answer',
  });
  expect(told('slave_silent', { ...silent, title: '', last_good_ms: 0, count: 1 })).toMatchObject({
    title: 'meter',
    silent_ms: null,
    count: 0,
  });
});

test('one silent slave is told in its own tone, apart from an alarm; silent slaves are counted beside one', () => {
  expect(told('no_slave_answers', { ...silent, count: 6 })).toMatchObject({
    code: 'no_slave_answers',
    count: 5,
    total: 6,
    silent_ms: 840_000,
  });
  expect(told('alarm_open', { count: 2, silent: 1 })).toMatchObject({ count: 2, silent: 1, silent_ms: null });
  const presence = (status: string, given = {}) => ({
    status,
    layer: 'bus',
    code: '',
    since_ms: null,
    arguments: given,
  });
  const shown = [
    presence('online'),
    presence('partly'),
    presence('silent'),
    presence('alarm', { silent: 0 }),
    presence('alarm', { silent: 1 }),
  ];
  expect(shown.map(isSilent)).toEqual([false, true, true, false, true]);
});

test.each([
  ['samples_dropped', { count: 12 }, { count: 12, silent_ms: null }],
  ['store_full', { count: 4 }, { count: 4 }],
  ['store_filling', { hours_left: 3, backlog_batches: 9 }, { left_ms: 3 * 3_600_000 }],
  ['clock_not_set', {}, { count: 0 }],
  ['port_lent', { port: 'com1', user: 'li', count: 2 }, { port: 'com1', user: 'li', count: 2, silent_ms: null }],
])('%s', (code, given, expected) => {
  expect(told(code, given)).toMatchObject({ code, ...expected });
});

test('codes of the link are no complaints of this kind, nor are unknown ones', () => {
  expect(['ok', 'link_lost', 'new_code'].map((code) => told(code, {}))).toEqual([null, null, null]);
  expect([reasonKey('link_lost'), reasonKey('new_code')]).toEqual(['base:reason.link_lost', null]);
});

test.each([
  ['online', 'none', 'ok', 'ok'],
  ['online', 'value', 'clock_not_set', 'warn'],
  ['online', 'bus', 'port_lent', 'warn'],
  ['partly', 'bus', 'slave_silent', 'warn'],
  ['silent', 'bus', 'no_slave_answers', 'bad'],
  ['alarm', 'alarm', 'alarm_open', 'bad'],
  ['offline', 'link', 'link_lost', 'bad'],
  ['offline', 'link', 'never_connected', 'off'],
])('%s by %s (%s) is %s', (status, layer, code, tone) => {
  expect(statusTone({ status, layer, code })).toBe(tone);
});

const slave = (name: string, reason: string, online = false) => ({
  id: 1,
  name,
  title: name,
  protocol: 'x',
  port: 'com1',
  address: '1',
  online,
  last_good_ms: 1,
  since_ms: 1,
  reason,
});

test('a slave of a lent port is known by its reason, while its gateway is there', () => {
  const slaves = [slave('a', 'port_lent'), slave('b', 'no_answer'), slave('c', 'ok', true)];
  const link = { online: true, since_ms: 1, reason: 'ok' };
  expect(['a', 'b', 'c', 'gone'].map((name) => slaveOnLockedPort({ link, slaves }, name)?.name ?? null)).toEqual([
    'a',
    null,
    null,
    null,
  ]);
  expect(slaveOnLockedPort({ link: { ...link, online: false }, slaves }, 'a')).toBeNull();
});

test('a slave that does not answer is known while its gateway is there, and one that was not heard of is not taken for it', () => {
  const slaves = [
    slave('a', 'port_lent'),
    slave('b', 'no_answer'),
    slave('c', 'ok', true),
    { ...slave('d', ''), last_good_ms: 0 },
    { ...slave('e', 'never_read'), last_good_ms: 0 },
  ];
  const link = { online: true, since_ms: 1, reason: 'ok' };
  expect(['a', 'b', 'c', 'd', 'e', 'gone'].map((name) => silentSlave({ link, slaves }, name)?.name ?? null)).toEqual([
    null,
    'b',
    null,
    null,
    'e',
    null,
  ]);
  expect(silentSlave({ link: { ...link, online: false }, slaves }, 'b')).toBeNull();
  const sources = new Map([
    [1, { slave: 'b' }],
    [2, { slave: 'b' }],
    [3, { slave: 'c' }],
    [4, { slave: 'e' }],
  ]);
  const writes = [1, 2, 3, 4, 9].map((dsid) => ({ dsid }));
  expect(silentOf({ link, slaves }, writes, sources).map(({ name }) => name)).toEqual(['b', 'e']);
});

const point = (dsid: number, period_ms: number, more: object = {}) => ({
  dsid,
  slave: 'a',
  rw: 'readonly',
  record: 1,
  period_ms,
  ds_type: 'num',
  ...more,
});

test('the points that are sent every time tell first that a slave is alive, then those that are sent on change', () => {
  const points = [
    point(1, 5000),
    point(2, 100),
    point(3, 10, { record: 2 }),
    point(4, 10, { slave: 'b' }),
    point(5, 1, { ds_type: 'cal' }),
    point(6, 1, { rw: 'writeonly' }),
  ];
  expect(tellingPoints(points, 'a')).toEqual([2, 1, 3]);
  expect(tellingPoints(points)).toEqual([4, 2, 1, 3]);
  expect(tellingPoints([point(8, 10, { record: 2 })], 'a')).toEqual([8]);
});

test('the values of a slave tell how old its last answer is only where all of them are sent', () => {
  const slow = point(1, 5000);
  expect(reportIntervalMs([slow, point(2, 5000, { record: 2 })], 'a')).toBe(20_000);
  expect(reportIntervalMs([slow, point(2, 1000, { record: 2 })], 'a')).toBeNull();
  expect(
    reportIntervalMs(
      [slow, point(2, 1000, { record: 2, ds_type: 'cal' }), point(3, 1000, { record: 2, slave: 'b' })],
      'a',
    ),
  ).toBe(20_000);
  expect(reportIntervalMs([], 'a')).toBeNull();
});

test('a good value that came is an answer, whenever it is sent', () => {
  const sources = [
    point(1, 1000, { record: 2 }),
    point(2, 1000),
    point(3, 1000, { ds_type: 'cal' }),
    point(4, 1000, { slave: 'b' }),
  ];
  const last = new Map([1, 2, 3, 4].map((dsid) => [dsid, { t_ms: 100 * dsid, value: 1, quality: dsid === 2 ? 5 : 0 }]));
  expect([measuredMs(sources, last, 'a'), measuredMs(sources, last, 'b'), measuredMs(sources, last, 'c')]).toEqual([
    100, 400, 0,
  ]);
});

test.each([
  [12_000, true, null, true], // between two pulses
  [500, true, null, true],
  [75_000, true, null, false], // asked that seldom
  [12_000, false, null, false], // silent: that is how long
  [4_000, true, 8_000, false],
  [9_000, true, 8_000, true], // its value is not good, it answers all the same
])('an age of %d ms, answering %s, told every %s', (age, answering, told, expected) => {
  expect(isOfTheWord(age, answering, told)).toBe(expected);
});

test('a store is steady when nothing waits in it, or when it was watched for long enough', () => {
  const store = (backlog_batches: number, since_ms: number, online = true, hours_left: number | null = null) =>
    isSteady({ link: { online, since_ms, reason: 'ok' }, backlog_batches, hours_left }, 1_000_000);
  expect([store(0, 900_000), store(2, 900_000), store(2, 400_000)]).toEqual([true, false, true]);
  expect([store(0, 900_000, false), store(0, 400_000, true, 30)]).toEqual([false, false]);
});

test('a push that tells of something in the slaves lets them be asked for', () => {
  const row = (code: string, online: number, user?: string) =>
    ({
      slaves_online: online,
      presence: { status: 'online', layer: 'bus', code, since_ms: 1, arguments: user === undefined ? {} : { user } },
    }) as unknown as DeviceRow;
  expect(isOther(row('ok', 6), row('ok', 6))).toBe(false);
  expect(isOther(row('ok', 6), {})).toBe(false);
  expect(isOther(row('ok', 6), row('port_lent', 4))).toBe(true);
  expect(isOther(row('port_lent', 4, ''), row('port_lent', 4, 'li'))).toBe(true);
});

test('a moment is told as short as it may', () => {
  const at = (month: number, day: number, year = 2026): number => new Date(year, month, day, 9, 5, 7).getTime();
  const now = new Date(2026, 10, 21, 12).getTime();
  expect([at(10, 21), at(10, 20), at(10, 20, 2025)].map((ms) => formatSince(ms, now))).toEqual([
    '09:05',
    '11-20 09:05',
    '2025-11-20 09:05',
  ]);
});

test('knows when a wrong secret was tried, while that is why a gateway is away', () => {
  const presence = {
    status: 'offline',
    layer: 'link',
    code: 'wrong_secret',
    since_ms: null,
    arguments: { tried_ms: 7 },
  };
  expect(wrongSecretAt(presence)).toBe(7);
  expect(wrongSecretAt({ ...presence, code: 'link_lost' })).toBeNull();
});
