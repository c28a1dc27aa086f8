import { expect, test } from 'vitest';
import { highest, percent, spanParts, stepTo } from '@/features/statistics/figures';

test.each([
  [null, '-'],
  [1, '100.00 %'],
  [0.99999, '99.99 %'],
  [0, '0.00 %'],
  [0.5, '50.00 %'],
])('availability %s is %s, never rounded up', (share, words) => {
  expect(percent(share)).toBe(words);
});

test('a chart without events has a height all the same', () => {
  expect([highest([]), highest([0, 0]), highest([2, 7, 3])]).toEqual([1, 1, 7]);
});

test.each([
  ['ArrowLeft', 0, 5, 0],
  ['ArrowRight', 3, 5, 4],
  ['ArrowRight', 4, 5, 4],
  ['Home', 3, 5, 0],
  ['End', 1, 5, 4],
  ['PageDown', 1, 30, 8],
  ['PageUp', 3, 30, 0],
  ['a', 1, 5, null],
  ['Home', 0, 0, null],
])('%s at %i of %i leads to %s', (key, at, count, to) => {
  expect(stepTo(key, at, count)).toBe(to);
});

test.each([
  [0, '0 s'],
  [999, '0 s'],
  [59_999, '59 s'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [90_000_000, '1 d 1 h'],
  [86_400_000 + 120_000, '1 d'],
])('%i ms are told as %s', (ms, words) => {
  expect(
    spanParts(ms)
      .map(({ unit, count }) => `${count} ${unit}`)
      .join(' '),
  ).toBe(words);
});
