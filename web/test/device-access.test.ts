import { expect, test } from 'vitest';
import { causeOf } from '@/features/events/handling';
import { nothingKey } from '@/features/monitor/presence';
import { hindranceOf } from '@/lib/deviceAccess';

test.each([
  [true, true, null],
  [true, false, 'readOnly'],
  [false, true, 'permission'],
  [false, false, 'permission'],
])('permission %s and share to be written %s: %s', (permitted, writes, expected) => {
  expect(hindranceOf(permitted, { writes })).toBe(expected);
});

test('only users of the platform are told to claim a gateway; without a user nobody is', () => {
  expect([0, 1, 2, 3, -1].map(nothingKey)).toEqual([
    'monitor:list.nothingText',
    ...Array.from({ length: 4 }, () => 'monitor:list.nothingShared'),
  ]);
});

test('the reason of an outage stands where it began, not where it ended', () => {
  expect([0, 1].map((status) => causeOf({ status, reason: 'link_lost' }))).toEqual(['link_lost', '']);
});
