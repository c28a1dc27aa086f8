import { expect, test } from 'vitest';
import { movedBy, offsetOf, rangeWith, stepOf, valueAt } from '@/charts/handles';
import { newCondition } from '@/features/triggers/draft';
import { handlesOf } from '@/features/triggers/preview';

const AREA = { left: 40, top: 10, width: 300, height: 200, low: 0, high: 100 };

test('a value and its place are each of the other, and stay within the plot', () => {
  expect([offsetOf(100, AREA), offsetOf(25, AREA), offsetOf(-5, AREA)]).toEqual([0, 150, 200]);
  expect([valueAt(0, AREA), valueAt(150, AREA), valueAt(999, AREA)]).toEqual([100, 25, 0]);
  expect(offsetOf(7, { ...AREA, low: 7, high: 7 })).toBe(100);
});

test('steps are round numbers of the range, and values are as fine as they', () => {
  expect(stepOf(AREA)).toBe(0.5);
  expect(stepOf({ ...AREA, high: 0.3 })).toBeCloseTo(0.002);
  expect(stepOf({ ...AREA, high: 0 })).toBe(1);
  expect(valueAt(33, AREA)).toBe(83.5);
  expect(valueAt(33, { ...AREA, high: 0.3 })).toBe(0.25);
});

test('keys move by a step or ten; others move nothing', () => {
  expect(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown'].map((key) => movedBy(key, 50, AREA))).toEqual([
    50.5, 49.5, 55, 45,
  ]);
  expect(movedBy('Enter', 50, AREA)).toBeNull();
});

test('the axis shows the thresholds and the values, with room', () => {
  expect(rangeWith([90], 0, 50)).toEqual([-9, 99]);
  expect(rangeWith([90], null, null)).toEqual([81, 99]);
  expect(rangeWith([], null, null)).toEqual([0, 1]);
});

test.each([
  ['1', 5, [['threshold', 90, 85]]],
  ['3', 5, [['threshold', 90, 95]]],
  ['5', 5, [['threshold', 90, undefined]]],
  [
    '6',
    5,
    [
      ['low', 10, 5],
      ['high', 90, 95],
    ],
  ],
  [
    '7',
    5,
    [
      ['low', 10, 15],
      ['high', 90, 85],
    ],
  ],
  [
    '7',
    0,
    [
      ['low', 10, undefined],
      ['high', 90, undefined],
    ],
  ],
])('handles of operator %s with a deadband of %s', (op, deadband, wanted) => {
  const condition = { ...newCondition(), op, threshold: '90', low: 10, high: 90, deadband };
  const found = handlesOf(condition, (name) => name).map(({ id, value, clear }) => [id, value, clear]);
  expect(found).toEqual(wanted);
});

test('what is not typed yet, and what compares with nothing, has no handle', () => {
  expect(handlesOf(newCondition(), (name) => name)).toEqual([]);
  expect(handlesOf({ ...newCondition(), type: '2', threshold: 9 }, (name) => name)).toEqual([]);
});
