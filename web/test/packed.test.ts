import { expect, test } from 'vitest';
import { callBytes } from '@/api/http';
import { decodePacked } from '@/charts/packed';
import { summary } from '@/charts/series';
import type { DataSource } from '@/blocks/history/api';
import { packedSeries } from '@/blocks/history/series';
import { reaches } from '@/blocks/history/useHistoryData';

const WORDS = { on: 'on', off: 'off' };
const source: DataSource = {
  dsid: 5,
  ds_name: 'p',
  ds_title: 'P',
  ds_type: 'num',
  rw: 'readonly',
  data_type: 'float',
  unit: 'V',
  decimals: 1,
  slave: 's',
  slave_title: 'S',
  record: 1,
  period_ms: 100,
  min: null,
  max: null,
};

interface Given {
  dsid: number;
  widthMs: number;
  samples: [number, number][];
  gaps?: [number, number][];
}

/** A reply as the cloud writes it. */
function packed(points: Given[]): ArrayBuffer {
  const bytes =
    24 + points.reduce((sum, point) => sum + 40 + 16 * (point.samples.length + (point.gaps?.length ?? 0)), 0);
  const view = new DataView(new ArrayBuffer(bytes));
  [...'HST1'].forEach((letter, at) => view.setUint8(at, letter.charCodeAt(0)));
  view.setUint32(4, points.length, true);
  view.setFloat64(8, 1000, true);
  view.setFloat64(16, 9000, true);
  let at = 24 + 40 * points.length;
  points.forEach(({ dsid, widthMs, samples, gaps = [] }, index) => {
    const head = 24 + 40 * index;
    view.setUint32(head, dsid, true);
    view.setUint32(head + 4, samples.length, true);
    view.setUint32(head + 8, index === 0 ? 1 : 2, true);
    view.setUint32(head + 12, gaps.length, true);
    view.setFloat64(head + 16, widthMs, true);
    view.setFloat64(head + 24, 7, true);
    view.setFloat64(head + 32, widthMs === 0 ? NaN : 8.25, true);
    for (const column of [0, 1] as const) {
      for (const sample of samples) {
        view.setFloat64(at, sample[column], true);
        at += 8;
      }
    }
  });
  for (const bound of points.flatMap(({ gaps = [] }) => gaps.flat())) {
    view.setFloat64(at, bound, true);
    at += 8;
  }
  return view.buffer;
}

const TWO = packed([
  {
    dsid: 5,
    widthMs: 0,
    samples: [
      [1000, 1.5],
      [2000, NaN],
      [3000, 2.5],
    ],
  },
  {
    dsid: 4_000_000_000,
    widthMs: 500,
    samples: [
      [2000, 9],
      [8000, 8],
    ],
  },
]);

test('what is damaged comes behind the samples', () => {
  const { points } = decodePacked(
    packed([
      {
        dsid: 5,
        widthMs: 0,
        samples: [[1000, 1.5]],
        gaps: [
          [2000, 2999],
          [4000, 4000],
        ],
      },
      { dsid: 6, widthMs: 0, samples: [[1000, 2.5]] },
      { dsid: 7, widthMs: 0, samples: [], gaps: [[1000, 8999]] },
    ]),
  );
  expect(points.map(({ v, gaps }) => [[...v], gaps.map(({ startMs, endMs }) => [startMs, endMs])])).toEqual([
    [
      [1.5],
      [
        [2000, 2999],
        [4000, 4000],
      ],
    ],
    [[2.5], []],
    [[], [[1000, 8999]]],
  ]);
});

test('points come out as they were written', () => {
  const { startMs, endMs, points } = decodePacked(TWO);
  expect([startMs, endMs]).toEqual([1000, 9000]);
  expect(
    points.map(({ dsid, widthMs, count, mean, isExact, isTruncated }) => [
      dsid,
      widthMs,
      count,
      mean,
      isExact,
      isTruncated,
    ]),
  ).toEqual([
    [5, 0, 7, NaN, true, false],
    [4_000_000_000, 500, 7, 8.25, false, true],
  ]);
  expect(points.map(({ t, v }) => [[...t], [...v]])).toEqual([
    [
      [1000, 2000, 3000],
      [1.5, NaN, 2.5],
    ],
    [
      [2000, 8000],
      [9, 8],
    ],
  ]);
});

test('what is no such reply is refused', () => {
  for (const wrong of [new ArrayBuffer(0), new ArrayBuffer(24), TWO.slice(0, 24), TWO.slice(0, -8), TWO.slice(0, 40)]) {
    expect(() => decodePacked(wrong)).toThrow(RangeError);
  }
});

test('a line has every sample, or what stands for a bucket with the mean of the window', () => {
  const [raw, buckets] = decodePacked(TWO).points;
  const line = packedSeries(source, raw, 1000, 9000, WORDS);
  expect([[...line.t], line.y, line.gapMs, line.mean]).toEqual([[1000, 2000, 3000], [1.5, null, 2.5], 300, undefined]);
  const drawn = packedSeries(source, buckets, 1000, 9000, WORDS);
  expect([[...drawn.y], drawn.gapMs]).toEqual([[9, 8], 1000]);
  expect(drawn.y).toBeInstanceOf(Float64Array); // nothing is copied where every sample is a number
  expect(summary(drawn, 1000, 9000)).toEqual({ min: 8, mean: 8.25, max: 9, last: 8 });
  expect(summary(drawn, 1000, 8999)).toMatchObject({ mean: null });
  expect(packedSeries({ ...source, record: 2 }, buckets, 0, 1, WORDS)).toMatchObject({
    gapMs: Infinity,
    stepped: true,
  });
  expect(packedSeries(source, undefined, 0, 1, WORDS)).toMatchObject({ t: [], y: [] });
});

test('a switch is its position, and its mean is the share of time that it was on', () => {
  const [, buckets] = decodePacked(TWO).points;
  if (buckets === undefined) throw new Error('no buckets');
  const line = packedSeries(
    { ...source, ds_type: 'swh' },
    { ...buckets, v: Float64Array.of(1, 0), mean: 0.25 },
    1000,
    9000,
    WORDS,
  );
  expect([[...line.y], line.mean?.value, line.meanText?.(0.25)]).toEqual([[1, 0], 0.25, '25 %']);
});

test('what was there before stands in while it reaches into the new window with every point', () => {
  const { points } = decodePacked(TWO);
  const ids = points.map(({ dsid }) => dsid);
  expect(reaches(points, ids, { start_ms: 2000, end_ms: 3000 })).toBe(true);
  expect(reaches(points, ids, { start_ms: 2500, end_ms: 3000 })).toBe(false);
  expect(reaches(points, [...ids, 7], { start_ms: 2000, end_ms: 3000 })).toBe(false);
});

const stream = (...parts: number[][]) =>
  new ReadableStream({
    start: (to) => {
      for (const part of parts) to.enqueue(new Uint8Array(part));
      to.close();
    },
  });

test('bytes come with their progress; what the cloud refuses is its error, what breaks off is the network', async () => {
  const shares: number[] = [];
  const response = new Response(null, { headers: { 'Content-Length': '4' } });
  const bytes = await callBytes(Promise.resolve({ data: stream([1], [2, 3, 4]), response }), (share) =>
    shares.push(share),
  );
  expect([[...new Uint8Array(bytes)], shares]).toEqual([
    [1, 2, 3, 4],
    [0.25, 1],
  ]);
  const refused = Promise.resolve({
    error: { code: 10002, msg: 'end_ms' },
    response: new Response(null, { status: 400 }),
  });
  await expect(callBytes(refused)).rejects.toMatchObject({ facts: { code: 10002 } });
  const broken = new ReadableStream({ start: (to) => to.error(new TypeError('gone')) });
  await expect(callBytes(Promise.resolve({ data: broken, response }))).rejects.toMatchObject({
    facts: { cause: 'network' },
  });
});
