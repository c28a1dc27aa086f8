import { mergedSpans } from '@/charts/annotations';
import { expect, test } from 'vitest';
import type { DataSource, Series } from '@/features/monitor/api';
import { append, breaks, MAX_SAMPLES, RecentSamples, silences, withPushed } from '@/features/monitor/recent';
import { chartSeries, csvOf, tableRows } from '@/blocks/history/series';

const source = (dsid: number, more: Partial<DataSource> = {}): DataSource => ({
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
  min: null,
  max: null,
  ...more,
});
const raw = (dsid: number, t: number[], v: (number | string | boolean | null)[], q?: number[]): Series => ({
  dsid,
  width_ms: 0,
  t,
  v,
  q: q ?? null,
  truncated: false,
});
const words = { on: 'on', off: 'off' };

test('gaps: three periods between samples, none for points that are recorded on change', () => {
  expect(chartSeries(source(1), raw(1, [], []), words).gapMs).toBe(30);
  expect(chartSeries(source(1, { record: 2 }), raw(1, [], []), words)).toMatchObject({
    gapMs: Infinity,
    stepped: true,
  });
});

test('a reading that cannot be trusted is a gap in the line and named in the table', () => {
  const series = raw(1, [0, 10, 20], [1, 2, 3], [0, 6, 8]);
  expect(chartSeries(source(1), series, words).y).toEqual([1, null, 3]);
  const rows = tableRows([source(1)], [series], words);
  expect(rows.map((row) => row.cells[0]?.bad)).toEqual([null, 6, null]);
});

test('switches are drawn as 1 and 0, texts not at all', () => {
  expect(chartSeries(source(1, { ds_type: 'swh' }), raw(1, [0, 1], [true, false]), words)).toMatchObject({
    y: [1, 0],
    stepped: true,
  });
  expect(chartSeries(source(1, { ds_type: 'cal' }), raw(1, [0, 1], [true, false]), words).y).toEqual([1, 0]);
  expect(chartSeries(source(1, { ds_type: 'str' }), raw(1, [0], ['RUN']), words).y).toEqual([null]);
});

test('legend, table and file have the names of positions and of selector values', () => {
  const alarm = source(1, { ds_type: 'swh', on_text: 'Alarm', unit: '' });
  const mode = source(2, { selector: { 0: 'Stop', 2: 'Run' }, decimals: null, unit: '' });
  const line = chartSeries(alarm, undefined, words);
  expect([0, 1, 0.25].map((value) => line.text?.(value))).toEqual(['off', 'Alarm', '25 %']);
  expect([line.meanText?.(0.25), line.names]).toEqual([
    '25 %',
    [
      [0, 'off'],
      [1, 'Alarm'],
    ],
  ]);
  const choice = chartSeries(mode, undefined, words);
  expect([choice.text?.(2), choice.text?.(1), choice.meanText?.(1), choice.stepped]).toEqual(['Run', '1', '–', true]);
  const rows = tableRows([alarm, mode], [raw(1, [0, 1], [true, false]), raw(2, [0, 1], [2, 7])], words);
  expect(rows.map(({ cells }) => cells.map((cell) => cell?.text))).toEqual([
    ['off', '7'],
    ['Alarm', 'Run'],
  ]);
  expect(
    csvOf(rows, [alarm, mode], false, HEAD)
      .split('\r\n')
      .slice(1)
      .map((one) => one.split(',').slice(1)),
  ).toEqual([
    ['Alarm', 'Run'],
    ['off', '7'],
  ]);
  const bucket: Series = {
    dsid: 1,
    width_ms: 60,
    t: [0],
    mean: [0.5],
    min: [0],
    max: [1],
    count: [9],
    truncated: false,
  };
  expect(tableRows([alarm], [bucket], words)[0]?.cells[0]).toMatchObject({ text: '50 %', band: 'off – Alarm' });
});

test('the table joins the series on time, newest first', () => {
  const rows = tableRows([source(1), source(2)], [raw(1, [0, 10], [1, 2]), raw(2, [10, 20], [3, 4])], words);
  expect(rows.map((row) => [row.t_ms, ...row.cells.map((cell) => cell?.text ?? '')])).toEqual([
    [20, '', '4.0'],
    [10, '2.0', '3.0'],
    [0, '1.0', ''],
  ]);
});

const HEAD = { time: 'Time', mean: 'Mean', min: 'Min', max: 'Max' };

test('csv: oldest first, quoted, formulas disarmed, numbers in full', () => {
  const text = source(2, { ds_type: 'str', ds_title: 'Note, "x"', unit: '' });
  const rows = tableRows([source(1), text], [raw(1, [0], [-1.25]), raw(2, [0, 1], ['=1+1', 'a\nb'])], words);
  const [head, first, ...rest] = csvOf(rows, [source(1), text], false, HEAD).split('\r\n');
  expect(head).toBe('Time,S P1 (V),"S Note, ""x"""');
  expect(first?.split(',').slice(1)).toEqual(['-1.25', "'=1+1"]);
  expect(rest.join()).toContain('"a\nb"');
});

test('csv of buckets has mean, min and max', () => {
  const series: Series = { dsid: 1, width_ms: 60, t: [0], mean: [2], min: [1], max: [3], count: [9], truncated: false };
  const lines = csvOf(tableRows([source(1)], [series], words), [source(1)], true, HEAD).split('\r\n');
  expect(lines[0]).toBe('Time,S P1 (V) Mean,S P1 (V) Min,S P1 (V) Max');
  expect(lines[1]?.split(',').slice(1)).toEqual(['2', '1', '3']);
});

test('pushed samples go on where the history ends; twice the same is one, and the memory is bounded', () => {
  const pushed = { t: [] as number[], y: [] as (number | null)[] };
  for (const t of [10, 20, 20, 15, 30]) append(pushed, t, t);
  const grown = withPushed(chartSeries(source(1), raw(1, [10, 20], [1, 2]), words), pushed);
  expect([grown.t, grown.y]).toEqual([
    [10, 20, 30],
    [1, 2, 30],
  ]);
  for (let t = 100; t < 100 + MAX_SAMPLES + 5; t++) append(pushed, t, 0);
  expect(pushed.t).toHaveLength(MAX_SAMPLES);
});

test('a point that is added leaves the curves of the others as they are', () => {
  const listeners = new Map<number, (now: { t_ms: number; value: number; quality: number }) => void>();
  const pushed = new RecentSamples((dsid, listener) => {
    listeners.set(dsid, listener);
    return () => listeners.delete(dsid);
  });
  const push = (dsid: number, ...times: number[]): void =>
    times.forEach((t_ms) => listeners.get(dsid)?.({ t_ms, value: t_ms, quality: 0 }));
  const sampled = (id: number): DataSource => ({ ...source(id), record: 1, period_ms: 1000 });
  pushed.follow([sampled(1)]);
  push(1, 11_000, 12_000, 13_000);
  pushed.follow([sampled(1), sampled(2)]);
  push(1, 14_000);
  push(2, 14_000);
  const line = withPushed(chartSeries(sampled(1), raw(1, [9000, 10_000], [1, 2]), words), pushed.of(1));
  expect([line.t, breaks([line])]).toEqual([[9000, 10_000, 11_000, 12_000, 13_000, 14_000], 0]);
  expect(pushed.of(2)?.t).toEqual([14_000]);
  pushed.follow([sampled(2)]);
  expect([...listeners.keys()]).toEqual([2]);
  expect(pushed.of(1)).toBeUndefined();
});

test('times without a value are hatched: bad quality, silence, and silence until now', () => {
  const every = { ...source(1), record: 1, period_ms: 1000 };
  const at = (t: number[], v: (number | null)[], q: number[], now: number, of: DataSource = every) =>
    silences(chartSeries(of, { ...raw(1, t, v), q }, words), of, now).map(({ startMs, endMs }) => [startMs, endMs]);
  expect(at([0, 1000, 2000], [1, 2, 3], [0, 0, 0], 3000)).toEqual([]);
  expect(at([0, 1000, 5000, 6000], [1, null, null, 3], [0, 5, 5, 0], 6500)).toEqual([[1000, 6000]]);
  expect(at([0, 1000, 9000], [1, 2, 3], [0, 0, 0], 9500)).toEqual([[1000, 9000]]);
  expect(at([0, 1000], [1, 2], [0, 0], 60_000)).toEqual([[1000, null]]);
  expect(at([0, 1000], [1, null], [0, 5], 1500)).toEqual([[1000, null]]);
  expect(at([0, 1000], [1, 2], [0, 0], 60_000, { ...every, record: 2 })).toEqual([]);
  expect(
    mergedSpans([
      { startMs: 5, endMs: null },
      { startMs: 0, endMs: 2 },
      { startMs: 1, endMs: 3 },
      { startMs: 9, endMs: 10 },
    ]),
  ).toEqual([
    { startMs: 0, endMs: 3 },
    { startMs: 5, endMs: null },
  ]);
});
