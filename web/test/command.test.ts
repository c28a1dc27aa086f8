import { expect, test } from 'vitest';
import type { CommandStatus } from '@/features/monitor/api';
import { brokenRule, entryOf, isFinal, STATES, stepsOf } from '@/features/monitor/command';

const command = (status: string, sent_ms: number | null = null, finished_ms: number | null = null): CommandStatus => ({
  id: 'c', status, dsid: 1, action: 'W', value: 1, result_value: null, quality: null, latency_ms: null, code: '', detail: '',
  created_ms: 1, sent_ms, finished_ms, user: 'u',
});
const states = (one: CommandStatus): string => stepsOf(one).map((step) => step.state).join(' ');

test.each([
  [command('create'), 'done active waiting'],
  [command('send', 2), 'done done active'],
  [command('resp', 2, 3), 'done done done'],
  [command('fail', 2, 3), 'done done failed'],
  [command('networkError', null, 3), 'done failed waiting'],
  [command('networkError', 2, 3), 'done done failed'],
])('%o', (one, expected) => {
  expect(states(one)).toBe(expected);
});

test('two states go on, five are final', () => {
  expect(STATES.filter((state) => !isFinal(state))).toEqual(['create', 'send']);
});

test.each([
  ['', { key: 'monitor:command.rule.required' }],
  [39.9, { key: 'monitor:command.rule.atLeast', limit: 40 }],
  [40, null],
  [95, null],
  [95.1, { key: 'monitor:command.rule.atMost', limit: 95 }],
  [false, null],
] as const)('value %s within 40 to 95', (value, rule) => {
  expect(brokenRule(value, { min: 40, max: 95 })).toEqual(rule);
});

test('zero is a limit too', () => {
  expect(brokenRule(-1, { min: 0, max: null })).toEqual({ key: 'monitor:command.rule.atLeast', limit: 0 });
});

test('switches send the values that the point was configured with', () => {
  const point = { ds_type: 'swh', data_type: 'uint16', decimals: null };
  expect(entryOf({ ...point, on_value: 170, off_value: 85 })).toEqual({ kind: 'switch', on: 170, off: 85 });
  expect(entryOf({ ...point, on_value: null, off_value: null })).toEqual({ kind: 'switch', on: true, off: false });
  expect(entryOf({ ...point, ds_type: 'num', on_value: null, off_value: null, decimals: 0 })).toEqual({ kind: 'number', integer: true });
});
