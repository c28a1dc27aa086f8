import { expect, test } from 'vitest';
import { changeView, following, rangeOf } from '@/charts/follow';
import { optionsOf, shapeOf, strokesOf } from '@/charts/plot';
import { align, summary, tickTexts, withGaps } from '@/charts/series';
import type { ChartSeries } from '@/charts/series';
import { contrastOf, parseColour } from '@/lib/colour';

const line = (id: number, t: number[], y: (number | null)[], more: Partial<ChartSeries> = {}): ChartSeries => ({
  id,
  label: String(id),
  unit: '',
  decimals: null,
  t,
  y,
  stepped: false,
  gapMs: Infinity,
  min: null,
  max: null,
  ...more,
});

test('a silence longer than allowed becomes a gap, an equal one does not', () => {
  expect(withGaps([0, 30, 61], [[1, 2, 3]], 30)).toEqual([
    [0, 30, 31, 61],
    [1, 2, null, 3],
  ]);
});

test('series share one axis; a time of another series does not break a line, a gap does', () => {
  const { data, at } = align([line(1, [0, 10, 40], [1, 2, 3], { gapMs: 15 }), line(2, [5], [9])]);
  expect(data[0]).toEqual([0, 5, 10, 11, 40]);
  expect(data[at[0] ?? 0]).toEqual([1, undefined, 2, null, 3]);
  expect(data[at[1] ?? 0]).toEqual([undefined, 9, undefined, undefined, undefined]);
});

test('a gap holds over the times of other series, of a line both ways, of a stepped one from its own null on', () => {
  const other = line(2, [5, 12, 20, 30, 45], [9, 9, 9, 9, 9]);
  const column = (one: ChartSeries) => {
    const { data, at } = align([one, other]);
    return Object.fromEntries((data[0] as number[]).map((time, index) => [time, data[at[0] ?? 0]?.[index]]));
  };
  expect(column(line(1, [0, 10, 40, 50], [1, 2, 3, 4], { gapMs: 15 }))).toEqual({
    0: 1,
    5: undefined,
    10: 2,
    11: null,
    12: null,
    20: null,
    30: null,
    40: 3,
    45: undefined,
    50: 4,
  });
  const untold = { 0: 1, 5: undefined, 10: 2, 40: 3, 45: undefined, 50: 4 };
  expect(column(line(1, [0, 10, 25, 40, 50], [1, 2, null, 3, 4]))).toEqual({
    ...untold,
    12: null,
    20: null,
    25: null,
    30: null,
  });
  expect(column(line(1, [0, 10, 25, 40, 50], [1, 2, null, 3, 4], { stepped: true }))).toEqual({
    ...untold,
    12: undefined,
    20: undefined,
    25: null,
    30: null,
  });
  const bucket = align([
    line(1, [0, 10, 40], [1, null, 3], { low: [0, null, 2] as number[], high: [2, null, 4] as number[] }),
    other,
  ]);
  for (const at of [1, 2, 3]) expect(bucket.data[at]?.[4]).toBeNull();
});

test('a band brings its edges, high before low', () => {
  const { data, at } = align([line(1, [0], [5], { low: [4], high: [6] }), line(2, [0], [9])]);
  expect(at).toEqual([1, 4]);
  expect(data.slice(1)).toEqual([[5], [6], [4], [9]]);
});

test('a summary counts what is in view; buckets count with their extremes', () => {
  const series = line(1, [0, 10, 20], [5, 7, 100], { low: [1, 6, 0], high: [9, 8, 200] });
  expect(summary(series, 0, 10)).toEqual({ min: 1, mean: 6, max: 9, last: 7 });
  expect(summary(series, 30, 40)).toBeNull();
});

test('ticks name a new day once', () => {
  const at = (date: number, hour: number): number => new Date(2026, 0, date, hour).getTime();
  expect(tickTexts([at(1, 22), at(1, 23), at(2, 0)], 3_600_000)).toEqual(['22:00\n01-01', '23:00', '00:00\n01-02']);
});

test('a live chart follows, pauses on zoom, steps back and resumes', () => {
  let view = following(60_000);
  expect(rangeOf(view, 100_000)).toEqual({ min: 40_000, max: 100_000 });
  view = changeView(view, { type: 'zoom', min: 50_000, max: 70_000 });
  expect(rangeOf(view, 999_000)).toEqual({ min: 50_000, max: 70_000 });
  view = changeView(view, { type: 'zoom', min: 55_000, max: 60_000 });
  view = changeView(view, { type: 'back' });
  expect(rangeOf(view, 999_000)).toEqual({ min: 50_000, max: 70_000 });
  view = changeView(view, { type: 'back' });
  expect(rangeOf(view, 200_000)).toEqual({ min: 140_000, max: 200_000 });
  view = changeView(changeView(view, { type: 'pause', now: 200_000 }), { type: 'resume' });
  expect(view.fixed).toBeNull();
});

test('a zoom narrower than a second is a slip of the hand', () => {
  const view = following(60_000);
  expect(changeView(view, { type: 'zoom', min: 0, max: 999 })).toBe(view);
});

const PALETTE = {
  text: '#777777',
  grid: '#eeeeee',
  lines: ['#1f6fb2', '#b3541e'],
  ground: '#ffffff',
  limit: '#c00000',
  limitArea: '#ffeeee',
};

test('a line has the colour of its point, its ghost too; the others keep the palette by their place', () => {
  const lines = [
    line(1, [], []),
    line(2, [], [], { color: '#AA0066' }),
    line(-3, [], [], { color: '#aa0066', ghostOf: 1 }),
    line(4, [], [], { color: 'red' }),
  ];
  expect(strokesOf(lines, PALETTE)).toEqual(['#1f6fb2', '#aa0066', '#aa0066', '#b3541e']);
  const { series } = optionsOf(
    lines,
    PALETTE,
    { width: 800, height: 300 },
    { onZoom: () => undefined, onReset: () => undefined, onCursor: () => undefined },
    undefined,
  );
  expect(series.slice(1).map(({ stroke }) => stroke)).toEqual(['#1f6fb2', '#aa0066', '#aa0066', '#b3541e']);
  expect(shapeOf(lines.slice(1, 2))).not.toBe(shapeOf([line(2, [], [])]));
});

test('a dark line on the dark ground is lightened until it is seen', () => {
  const dark = { ...PALETTE, ground: '#171c22' };
  const [stroke = ''] = strokesOf([line(1, [], [], { color: '#000040' })], dark);
  expect(stroke).toMatch(/^#[0-9a-f]{6}$/);
  expect(contrastOf(parseColour(stroke) ?? [0, 0, 0], parseColour(dark.ground) ?? [0, 0, 0])).toBeGreaterThanOrEqual(3);
});
