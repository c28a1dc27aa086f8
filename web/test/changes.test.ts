import { expect, test } from 'vitest';
import { ageParts } from '@/blocks/live/age';
import { followed, isChange } from '@/lib/live/changes';
import type { LastValue } from '@/lib/quality';

const at = (t_ms: number, value: LastValue['value'], quality = 0): LastValue => ({ t_ms, value, quality });
const after = (...values: LastValue[]): LastValue =>
  values.reduce<LastValue | undefined>((known, next) => followed(known, next), undefined) as LastValue;

test('the same value that is read again, after a silence or a restart, is no change', () => {
  const told = { ...at(10, 5), changed_ms: 3 };
  expect(after(told, at(20, 5)).changed_ms).toBe(3);
  expect(after(told, at(20, null, 5), at(30, 5)).changed_ms).toBe(3);
  expect(after(told, at(20, 6)).changed_ms).toBe(20);
  expect(after(told, at(20, null, 5), at(30, 6), at(40, 6)).changed_ms).toBe(30);
  expect(after({ ...told, changed_ms: null }, at(20, 5)).changed_ms).toBeNull();
  expect(after(told, { ...at(20, 5), changed_ms: null }).changed_ms).toBe(3); // the cloud started anew
  expect(after(told, { ...at(40, 7), changed_ms: 33 }).changed_ms).toBe(33);
});

test('a mark needs two values', () => {
  expect(isChange(undefined, at(1, 5))).toBe(false);
  expect(isChange(at(0, null, 5), at(1, 5))).toBe(false);
  expect(isChange(at(0, 5), at(1, null, 5))).toBe(false);
  expect(isChange(after(at(0, 5), at(1, null, 5)), at(2, 5))).toBe(false);
  expect(isChange(after(at(0, 5), at(1, null, 5)), at(2, 6))).toBe(true);
});

test('a point that is recorded on change tells when it changed, and else when it was recorded', () => {
  const last = { ...at(900, 5), changed_ms: 400 };
  expect(ageParts(last, 1000, 2)).toEqual({ key: 'base:ago.lastChange', ms: 600 });
  expect(ageParts({ ...last, changed_ms: null }, 1000, 2)).toEqual({ key: 'base:ago.lastRecord', ms: 100 });
  expect(ageParts(last, 1000, 1)).toEqual({ key: null, ms: 100 });
});
