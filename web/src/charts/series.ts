import uPlot from 'uplot';

/** A million of them are held as they came: an array of numbers made of them costs more than their picture. */
export type Times = readonly number[] | Float64Array;
export type Values = readonly (number | null)[] | Float64Array;

/** One line of a chart. t ascends; null in y is a gap. low and high are the band of buckets. */
export interface ChartSeries {
  id: number;
  label: string;
  unit: string;
  decimals: number | null;
  t: Times;
  y: Values;
  low?: readonly (number | null)[];
  high?: readonly (number | null)[];
  /** How many samples each y stands for; one each without it. */
  weights?: readonly number[];
  /** Where t holds extremes only: the mean of all samples between two times, which can be told of these times alone. */
  mean?: { fromMs: number; toMs: number; value: number | null };
  /** Hold the last value until the next: switches, set points, points recorded on change. */
  stepped: boolean;
  /** Longer silence than this is a gap, never a line; Infinity for points that are sent on change only. */
  gapMs: number;
  min: number | null;
  max: number | null;
  /** Further limits, drawn as min and max are, without an area. */
  limits?: readonly number[];
  /** Names of the values, where they are all named: of a switch or a selector. */
  names?: readonly (readonly [value: number, name: string])[];
  /** A value, and a mean, in words where they are no plain numbers. */
  text?: (value: number) => string;
  meanText?: (mean: number) => string;
  /** #rrggbb chosen for it; without one the palette's by its place. */
  color?: string;
  /** Of another period, for comparison: dashed, in the colour of the line with this index. */
  ghostOf?: number;
}

type Column = (number | null | undefined)[] | Float64Array;

export interface Aligned {
  /** x, then the columns of each series in order: y, and high and low when it has a band. */
  data: [number[] | Float64Array, ...Column[]];
  /** Index of the y column of each series. */
  at: number[];
}

/** Times and columns with a null where the silence is longer than gapMs. */
export function withGaps(t: Times, columns: readonly Values[], gapMs: number): Aligned['data'] {
  // A live chart comes here each second, and mostly without a gap: then nothing is copied.
  const first = firstGap(t, gapMs);
  if (first === t.length) return [t as number[], ...(columns as Column[])];
  const times: number[] = [];
  const out: (number | null)[][] = columns.map(() => []);
  for (let at = 0; at < t.length; at++) {
    const now = t[at] ?? 0;
    const before = t[at - 1];
    if (at >= first && before !== undefined && now - before > gapMs) {
      times.push(before + 1);
      for (const column of out) column.push(null);
    }
    times.push(now);
    for (const [which, column] of out.entries()) column.push(columns[which]?.[at] ?? null);
  }
  return [times, ...out];
}

/** Place of the first time after a longer silence; the length when there is none. */
function firstGap(t: Times, gapMs: number): number {
  if (gapMs === Infinity) return t.length;
  let before = t[0] ?? 0;
  for (let at = 1; at < t.length; at++) {
    const now = t[at] ?? 0;
    if (now - before > gapMs) return at;
    before = now;
  }
  return t.length;
}

/** A null of a joined column holds over the times of other series. */
const EXPAND = 2;
/** The last value of a stepped line holds over them until its own null. */
const RETAIN = 1;

/**
 * All series on one time axis. Where a series has no sample of its own it is undefined, which does not break its line; within a
 * gap it is null throughout, as the plot breaks a line between neighbours only.
 */
export function align(series: readonly ChartSeries[]): Aligned {
  const tables = series.map((one) => withGaps(one.t, columnsOf(one), one.gapMs));
  const at: number[] = [];
  let next = 1;
  for (const one of series) {
    at.push(next);
    next += columnsOf(one).length;
  }
  if (tables.length === 0) return { data: [[]], at };
  const modes = tables.map((table, which) => table.map(() => (series[which]?.stepped ? RETAIN : EXPAND)));
  const data = uPlot.join(tables as uPlot.AlignedData[], modes) as Aligned['data'];
  for (const [which, { stepped }] of series.entries()) {
    if (stepped) for (const column of data.slice(at[which], at[which + 1])) holdGaps(column as Column);
  }
  return { data, at };
}

/** From a null to the next value there is none. */
function holdGaps(column: Column): void {
  let inGap = false;
  for (let at = 0; at < column.length; at++) {
    if (inGap && column[at] === undefined) (column as (number | null | undefined)[])[at] = null;
    else if (column[at] !== undefined) inGap = column[at] === null;
  }
}

function columnsOf(series: ChartSeries): Values[] {
  return series.low !== undefined && series.high !== undefined ? [series.y, series.high, series.low] : [series.y];
}

export interface Summary {
  min: number;
  /** Null when it is not known of this window. */
  mean: number | null;
  max: number;
  last: number;
}

/** Smallest, mean and largest within a window; buckets count with their own extremes. Null without a number. */
export function summary(series: ChartSeries, fromMs: number, toMs: number): Summary | null {
  let min = Infinity;
  let max = -Infinity;
  let sum = 0;
  let count = 0;
  let last = 0;
  const { t, y: values, low, high, weights } = series;
  for (let at = 0; at < t.length; at++) {
    const time = t[at] ?? 0;
    const y = values[at];
    if (time < fromMs || time > toMs || y === null || y === undefined) continue;
    const lowest = low?.[at] ?? y;
    const highest = high?.[at] ?? y;
    if (lowest < min) min = lowest;
    if (highest > max) max = highest;
    const weight = weights?.[at] ?? 1;
    sum += y * weight;
    count += weight;
    last = y;
  }
  if (count === 0) return null;
  const { mean } = series;
  if (mean === undefined) return { min, mean: sum / count, max, last };
  return { min, mean: mean.fromMs === fromMs && mean.toMs === toMs ? mean.value : null, max, last };
}

const DAY_MS = 86_400_000;

/** Tick texts of a time axis, 24 hours, in the browser's zone; a new day is named under the first tick. */
export function tickTexts(ticks: readonly number[], stepMs: number): string[] {
  let day = '';
  return ticks.map((ms) => {
    const at = new Date(ms);
    const two = (value: number): string => String(value).padStart(2, '0');
    const date = `${two(at.getMonth() + 1)}-${two(at.getDate())}`;
    if (stepMs >= 28 * DAY_MS) return `${at.getFullYear()}-${two(at.getMonth() + 1)}`;
    if (stepMs >= DAY_MS) return date;
    const clock = `${two(at.getHours())}:${two(at.getMinutes())}${stepMs < 60_000 ? `:${two(at.getSeconds())}` : ''}`;
    const label = date === day ? clock : `${clock}\n${date}`;
    day = date;
    return label;
  });
}
