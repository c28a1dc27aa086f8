import { expect, test } from 'vitest';
import { durationFault, secondsOf } from '@/blocks/alarms/durations';
import { filtersOf, isAnnounced, isGrouped, limitsOf, mayAcknowledge, viewOf } from '@/features/events/views';
import type { Filter } from '@/components/resource/filters';

test.each([
  [{}, 'active'],
  [{ view: 'quiet' }, 'quiet'],
  [{ view: 'nonsense' }, 'active'],
  [{ status: '0' }, 'history'],
  [{ range: 'pastHour' }, 'history'],
  [{ start: '1', end: '2' }, 'history'],
  [{ view: 'active', status: '0' }, 'active'],
  [{ device: '5' }, 'active'],
])('an address with %j opens %s', (search, view) => {
  expect(viewOf(search as Record<string, string>)).toBe(view);
});

test.each([
  [{}, false, false],
  [{}, true, true],
  [{ group: '0' }, true, false],
  [{ group: '1' }, false, true],
])('repeats: %j in a flood (%s) are one row: %s', (search, flood, grouped) => {
  expect(isGrouped(search as Record<string, string>, flood)).toBe(grouped);
});

test('the period and the handling are filters of the history alone', () => {
  const filters: readonly Filter[] = [
    { kind: 'search', name: 'search', label: '' },
    { kind: 'segments', name: 'status', label: '', options: [] },
    { kind: 'range', fallback: 'past7Days' },
  ];
  expect(filtersOf('history', filters)).toHaveLength(3);
  expect(filtersOf('active', filters).map(({ kind }) => kind)).toEqual(['search']);
});

test.each([
  ['unacknowledged', null, true],
  ['returned', null, true],
  ['latched', null, true],
  ['shelved', null, true],
  ['shelved', 5, false],
  ['acknowledged', 5, false],
  ['normal', null, false],
] as const)('an alarm that is %s (acknowledged %s) can be acknowledged: %s', (state, acked_ms, may) => {
  expect(mayAcknowledge({ state, acked_ms })).toBe(may);
});

test('nobody is told of what is quiet or lies under a root cause', () => {
  expect(isAnnounced({ quiet: '', parent_id: null })).toBe(true);
  expect(isAnnounced({ quiet: 'shelved', parent_id: null })).toBe(false);
  expect(isAnnounced({ quiet: '', parent_id: 3 })).toBe(false);
});

test.each([
  [
    { type: 1, trigger_optype: 1, trigger_threshold: 90 },
    { min: null, max: 90 },
  ],
  [
    { type: 1, trigger_optype: 3, trigger_threshold: 5 },
    { min: 5, max: null },
  ],
  [
    { type: 1, trigger_optype: 7, trigger_threshold: { lolmt: 1, uplmt: 2 } },
    { min: 1, max: 2 },
  ],
  [
    { type: 3, magnitude: 1 },
    { min: null, max: null },
  ],
])('the limits of %j are %j', (condition, limits) => {
  expect(limitsOf({ condition })).toEqual(limits);
});

const NOW = Date.parse('2026-11-27T10:00');

test.each([
  ['600', '', 600],
  ['other', '2026-11-27T12:00', 7200],
  ['other', '', null],
] as const)('for %s until "%s" are %s seconds', (duration, until, seconds) => {
  expect(secondsOf(duration, until, NOW)).toBe(seconds);
});

test.each([
  [null, 'shelved', 'missing'],
  [59, 'shelved', 'short'],
  [60, 'shelved', null],
  [7 * 86_400, 'shelved', null],
  [7 * 86_400 + 1, 'shelved', 'long'],
  [7 * 86_400 + 1, 'maintenance', null],
  [31 * 86_400 + 1, 'out_of_service', 'long'],
] as const)('%s seconds of %s: %s', (seconds, kind, fault) => {
  expect(durationFault(seconds, kind)).toBe(fault);
});
