import { expect, test } from 'vitest';
import { summary } from '@/charts/series';
import type { ChartSeries } from '@/charts/series';
import { zoomed } from '@/charts/zooming';
import { chosenOf } from '@/blocks/history/HistoryView';
import { joined, MAX_FAVOURITES, toggled } from '@/blocks/history/favourites';
import { added, read } from '@/blocks/history/remembered';
import { FOR_EVER, MAX_DAYS, wrongField } from '@/blocks/retention/api';
import { chartSeries, ghostSeries } from '@/blocks/history/series';
import { numbersOf } from '@/blocks/history/useHistory';
import type { DeviceSource } from '@/blocks/history/useSources';

const source = (dsid: number, more: Partial<DeviceSource> = {}): DeviceSource => ({
  dsid,
  ds_name: `p${dsid}`,
  ds_title: `P${dsid}`,
  ds_type: 'num',
  rw: 'readonly',
  data_type: 'float',
  unit: 'V',
  decimals: 1,
  slave: 's',
  slave_title: 'S',
  record: 1,
  period_ms: 10,
  min: 0,
  max: 9,
  deviceId: 1,
  deviceTitle: 'D',
  ...more,
});
const line: ChartSeries = {
  id: 3,
  label: 'a',
  unit: 'V',
  decimals: 1,
  t: [100, 200],
  y: [1, 2],
  low: [0, 1],
  high: [2, 3],
  stepped: false,
  gapMs: 10,
  min: 0,
  max: 9,
};

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
  expect([...ghostSeries(line, 2, 1000, 'earlier').t]).toEqual([1100, 1200]);
  expect(ghostSeries(line, 2, 1000, 'earlier')).toMatchObject({
    id: -4,
    label: 'earlier',
    y: [1, 2],
    min: null,
    max: null,
    ghostOf: 2,
  });
  expect(ghostSeries(line, 2, 1000, 'earlier').low).toBeUndefined();
});

test('the mean of buckets counts their samples; the last is the newest in view', () => {
  const buckets = {
    dsid: 1,
    width_ms: 100,
    t: [100, 200],
    mean: [1, 4],
    min: [0, 3],
    max: [2, 9],
    count: [3, 1],
    truncated: false,
  };
  expect(summary(chartSeries(source(1), buckets, { on: '', off: '' }), 0, 300)).toEqual({
    min: 0,
    mean: 1.75,
    max: 9,
    last: 4,
  });
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

test('a mark is set and taken back; what a browser had comes behind what the cloud has', () => {
  const point = (dsid: number) => ({ dsid, deviceId: 1, label: `P${dsid}` });
  expect(toggled([point(1)], point(2)).map(({ dsid }) => dsid)).toEqual([2, 1]);
  expect(toggled([point(1), point(2)], point(1)).map(({ dsid }) => dsid)).toEqual([2]);
  expect(joined([point(1)], [point(2), point(1)]).map(({ dsid }) => dsid)).toEqual([1, 2]);
  const full = Array.from({ length: MAX_FAVOURITES }, (_, at) => point(at + 1));
  expect(toggled(full, point(99))).toHaveLength(MAX_FAVOURITES);
});

test('days of a summary are not fewer than of what is finer; 0 is for ever; what is no number of days is none', () => {
  expect(wrongField(FOR_EVER)).toBeNull();
  expect(wrongField({ raw_days: 30, minute_days: 30, quarter_days: 365, hour_days: 0, day_days: 0 })).toBeNull();
  expect(wrongField({ ...FOR_EVER, minute_days: 9 })).toEqual({ field: 'minute_days', fault: 'order' });
  for (const raw_days of ['', -1, 1.5, MAX_DAYS + 1])
    expect(wrongField({ ...FOR_EVER, raw_days })).toEqual({ field: 'raw_days', fault: 'range' });
});
