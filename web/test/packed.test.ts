import { expect, test } from 'vitest';
import { alignPacked, decodePacked } from '@/charts/packed';

interface Given {
  dsid: number;
  widthMs: number;
  samples: [number, number][];
}

/** A reply as the cloud writes it. */
function packed(points: Given[]): ArrayBuffer {
  const bytes = 24 + points.reduce((sum, point) => sum + 32 + 16 * point.samples.length, 0);
  const view = new DataView(new ArrayBuffer(bytes));
  [...'HST1'].forEach((letter, at) => view.setUint8(at, letter.charCodeAt(0)));
  view.setUint32(4, points.length, true);
  view.setFloat64(8, 1000, true);
  view.setFloat64(16, 9000, true);
  let at = 24 + 32 * points.length;
  points.forEach(({ dsid, widthMs, samples }, index) => {
    const head = 24 + 32 * index;
    view.setUint32(head, dsid, true);
    view.setUint32(head + 4, samples.length, true);
    view.setUint32(head + 8, index === 0 ? 1 : 0, true);
    view.setFloat64(head + 16, widthMs, true);
    view.setFloat64(head + 24, 7, true);
    for (const column of [0, 1] as const) {
      for (const sample of samples) {
        view.setFloat64(at, sample[column], true);
        at += 8;
      }
    }
  });
  return view.buffer;
}

const TWO = packed([
  { dsid: 5, widthMs: 0, samples: [[1000, 1.5], [2000, NaN], [3000, 2.5]] },
  { dsid: 4_000_000_000, widthMs: 500, samples: [[2000, 9], [8000, 8]] },
]);

test('points come out as they were written', () => {
  const { startMs, endMs, points } = decodePacked(TWO);
  expect([startMs, endMs]).toEqual([1000, 9000]);
  expect(points.map(({ dsid, widthMs, count, isExact }) => [dsid, widthMs, count, isExact])).toEqual([
    [5, 0, 7, true],
    [4_000_000_000, 500, 7, false],
  ]);
  expect(points.map(({ t, v }) => [[...t], [...v]])).toEqual([[[1000, 2000, 3000], [1.5, NaN, 2.5]], [[2000, 8000], [9, 8]]]);
});

test('what is no such reply is refused', () => {
  for (const wrong of [new ArrayBuffer(0), new ArrayBuffer(24), TWO.slice(0, -8), TWO.slice(0, 40)]) {
    expect(() => decodePacked(wrong)).toThrow(RangeError);
  }
});

test('on one axis a missing number and a long silence are gaps; points that nobody described stay out', () => {
  const about = { label: '', unit: '', decimals: null, stepped: false, gapMs: 1500, min: null, max: null };
  const { data, at } = alignPacked(decodePacked(TWO), [{ ...about, id: 4_000_000_000 }, { ...about, id: 5 }]);
  expect(data[0]).toEqual([1000, 2000, 2001, 3000, 8000]);
  expect(data[at[0] ?? 0]).toEqual([1.5, null, undefined, 2.5, undefined]);
  expect(data[at[1] ?? 0]).toEqual([undefined, 9, null, undefined, 8]);
  expect(alignPacked(decodePacked(TWO), []).data).toEqual([[]]);
});
