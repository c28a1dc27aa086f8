import { expect, test } from 'vitest';
import { complaintOf, protocolsOf, statusTone } from '@/features/monitor/presence';
import { reasonKey } from '@/lib/reasons';
import { formatSince } from '@/lib/time';

test('protocols of a gateway: each once, unknown ones by their code', () => {
  const slaves = ['modbus_rtu', 'dlt645_2007', 'modbus_rtu', 'mc_3e', 'new_one'].map((protocol) => ({ protocol }));
  expect(protocolsOf(slaves)).toBe('Modbus RTU, DL/T 645-2007, MC 3E, new_one');
  expect(protocolsOf([])).toBe('');
});

const silent = { slave: 'meter', title: 'Steam meter', reason: 'no_answer', last_good_ms: 60_000, count: 3, total: 6 };
const told = (code: string, given: Record<string, string | number | null>) =>
  complaintOf({ status: 'alarm', layer: 'bus', code, since_ms: 1, arguments: given }, 900_000);

test('a silent slave by its title, since its last good frame, and how many more', () => {
  expect(told('slave_silent', silent)).toMatchObject({ title: 'Steam meter', silent_ms: 840_000, count: 2, reason: 'no_answer' });
  expect(told('slave_silent', { ...silent, title: '', last_good_ms: 0, count: 1 })).toMatchObject({ title: 'meter', silent_ms: null, count: 0 });
});

test.each([
  ['samples_dropped', { count: 12 }, { count: 12, silent_ms: null }],
  ['store_full', { count: 4 }, { count: 4 }],
  ['store_filling', { hours_left: 3, backlog_batches: 9 }, { left_ms: 3 * 3_600_000 }],
  ['clock_not_set', {}, { count: 0 }],
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
  ['alarm', 'bus', 'slave_silent', 'bad'],
  ['offline', 'link', 'link_lost', 'bad'],
  ['offline', 'link', 'never_connected', 'off'],
])('%s by %s (%s) is %s', (status, layer, code, tone) => {
  expect(statusTone({ status, layer, code })).toBe(tone);
});

test('a moment is told as short as it may', () => {
  const at = (month: number, day: number, year = 2026): number => new Date(year, month, day, 9, 5, 7).getTime();
  const now = new Date(2026, 10, 21, 12).getTime();
  expect([at(10, 21), at(10, 20), at(10, 20, 2025)].map((ms) => formatSince(ms, now))).toEqual([
    '09:05', '11-20 09:05', '2025-11-20 09:05',
  ]);
});
