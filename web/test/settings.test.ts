import { expect, test } from 'vitest';
import { changesOf, draftOf, faultsOf } from '@/features/monitor/settings';

const device = { device_title: 'Boiler', offline_notify: false, offline_clear_data: true, offline_alarm_delay_s: 0 };
const draft = draftOf(device);

test('only what differs is sent', () => {
  expect(changesOf(draft, device)).toBeNull();
  expect(changesOf({ ...draft, title: ' Boiler ' }, device)).toBeNull();
  expect(changesOf({ ...draft, delay: '30', clear: false }, device)).toEqual({
    offline_alarm_delay_s: 30,
    offline_clear_data: false,
  });
});

test.each([
  ['0', true],
  ['86400', true],
  ['86401', false],
  ['', false],
  ['-1', false],
  ['1.5', false],
  ['1e3', false],
  ['x', false],
])('a delay of %j is allowed: %s', (delay, isAllowed) => {
  expect(faultsOf({ ...draft, delay }).delay === undefined).toBe(isAllowed);
});

test('a title is needed', () => {
  expect(faultsOf({ ...draft, title: '  ' })).toEqual({ title: 'monitor:settings.rule.title' });
});
