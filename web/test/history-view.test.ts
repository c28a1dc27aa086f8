import { expect, test } from 'vitest';
import { summary } from '@/charts/series';
import type { ChartSeries } from '@/charts/series';
import { zoomed } from '@/charts/zooming';
import { chosenOf } from '@/components/history/HistoryView';
import { added, read } from '@/components/history/remembered';
import { chartSeries, ghostSeries } from '@/components/history/series';
import { numbersOf } from '@/components/history/useHistory';
import type { DeviceSource } from '@/components/history/useSources';

const source = (dsid: number, more: Partial<DeviceSource> = {}): DeviceSource => ({
  dsid, ds_name: `p${dsid}`, ds_title: `P${dsid}`, ds_type: 'num', rw: 'readonly', data_type: 'float', unit: 'V', decimals: 1, slave: 's',
  slave_title: 'S', record: 1, period_ms: 10, min: 0, max: 9, on_value: null, off_value: null, deviceId: 1, deviceTitle: 'D', ...more,
});
const line: ChartSeries = { id: 3, label: 'a', unit: 'V', decimals: 1, t: [100, 200], y: [1, 2], low: [0, 1], high: [2, 3], stepped: false, gapMs: 10, min: 0, max: 9 };

test('points of an address: each once, at most so many, no other words', () => {
  expect(numbersOf('3,1,3,x,-2,0,7', 8)).toEqual([3, 1, 7]);
  expect(numbersOf('1,2,3', 2)).toEqual([1, 2]);
  expect(numbersOf(undefined, 8)).toEqual([]);
  expect(numbersOf('none', 8)).toEqual([]);
});

test('chosen points keep their order; without a choice the first number is shown, after an empty choice none', () => {
  const sources = [source(1, { ds_type: 'str' }), source(2), source(3)];
  expect(chosenOf([3, 99, 2], sources).map(({ dsid }) => dsid)).toEqual([3, 2]);
  expect(chosenOf(undefined, sources).map(({ dsid }) => dsid)).toEqual([2]);
  expect(chosenOf([], sources)).toEqual([]);
});

test('an earlier period is moved, dashed in the colour of its line, without band and limits', () => {
  expect(ghostSeries(line, 2, 1000, 'earlier')).toMatchObject({ id: -4, label: 'earlier', t: [1100, 1200], y: [1, 2], min: null, max: null, ghostOf: 2 });
  expect(ghostSeries(line, 2, 1000, 'earlier').low).toBeUndefined();
});

test('the mean of buckets counts their samples; the last is the newest in view', () => {
  const buckets = { dsid: 1, width_ms: 100, t: [100, 200], mean: [1, 4], min: [0, 3], max: [2, 9], count: [3, 1], truncated: false };
  expect(summary(chartSeries(source(1), buckets), 0, 300)).toEqual({ min: 0, mean: 1.75, max: 9, last: 4 });
});

test('the wheel leaves what is under the pointer where it is, and stops at a second', () => {
  expect(zoomed({ min: 0, max: 10_000 }, 2_500, 0.5)).toEqual({ min: 1_250, max: 6_250 });
  expect(zoomed({ min: 0, max: 10_000 }, 10_000, 2)).toEqual({ min: -10_000, max: 10_000 });
  expect(zoomed({ min: 0, max: 1_500 }, 0, 0.1)).toEqual({ min: 0, max: 1_000 });
});

test('remembered points: the newest first, each once, bounded; what is no list is none', () => {
  const point = (dsid: number) => ({ dsid, deviceId: 1, label: `P${dsid}` });
  expect(added([point(1), point(2)], [point(2), point(3)], 2).map(({ dsid }) => dsid)).toEqual([2, 3]);
  const kept = (text: string | null) => read('recent', 7, { getItem: () => text });
  expect(kept(JSON.stringify([point(4), { dsid: 'x' }]))).toEqual([point(4)]);
  expect(kept('{"a":1}')).toEqual([]);
  expect(kept('[')).toEqual([]);
  expect(kept(null)).toEqual([]);
});
