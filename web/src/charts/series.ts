import uPlot from 'uplot';

/** One line of a chart. t ascends; null in y is a gap. low and high are the band of buckets. */
export interface ChartSeries {
  id: number;
  label: string;
  unit: string;
  decimals: number | null;
  t: readonly number[];
  y: readonly (number | null)[];
  low?: readonly (number | null)[];
  high?: readonly (number | null)[];
  /** How many samples each y stands for; one each without it. */
  weights?: readonly number[];
  /** Hold the last value until the next: switches, set points, points recorded on change. */
  stepped: boolean;
  /** Longer silence than this is a gap, never a line; Infinity for points that are sent on change only. */
  gapMs: number;
  min: number | null;
  max: number | null;
  /** Of another period, for comparison: dashed, in the colour of the line with this index. */
  ghostOf?: number;
}

type Column = (number | null | undefined)[];

export interface Aligned {
  /** x, then the columns of each series in order: y, and high and low when it has a band. */
  data: [number[], ...Column[]];
  /** Index of the y column of each series. */
  at: number[];
}

/** Times and columns with a null where the silence is longer than gapMs. */
export function withGaps(
  t: readonly number[],
  columns: readonly (readonly (number | null)[])[],
  gapMs: number,
): [number[], ...Column[]] {
  // A live chart comes here each second, and mostly without a gap: then nothing is copied.
  if (!t.some((now, index) => index > 0 && now - (t[index - 1] ?? now) > gapMs)) return [t as number[], ...(columns as Column[])];
  const times: number[] = [];
  const out: Column[] = columns.map(() => []);
  let before: number | undefined;
  t.forEach((now, index) => {
    if (before !== undefined && now - before > gapMs) {
      times.push(before + 1);
      for (const column of out) column.push(null);
    }
    times.push(now);
    out.forEach((column, which) => column.push(columns[which]?.[index] ?? null));
    before = now;
  });
  return [times, ...out];
}

/** All series on one time axis. Where a series has no sample of its own it is undefined, which does not break its line. */
export function align(series: readonly ChartSeries[]): Aligned {
  const tables = series.map((one) => withGaps(one.t, columnsOf(one), one.gapMs));
  const at: number[] = [];
  let next = 1;
  for (const one of series) {
    at.push(next);
    next += columnsOf(one).length;
  }
  const data = tables.length === 0 ? [[]] : uPlot.join(tables as uPlot.AlignedData[]);
  return { data: data as Aligned['data'], at };
}

function columnsOf(series: ChartSeries): (readonly (number | null)[])[] {
  return series.low !== undefined && series.high !== undefined ? [series.y, series.high, series.low] : [series.y];
}

export interface Summary {
  min: number;
  mean: number;
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
  series.t.forEach((time, index) => {
    const y = series.y[index];
    if (time < fromMs || time > toMs || y === null || y === undefined) return;
    min = Math.min(min, series.low?.[index] ?? y);
    max = Math.max(max, series.high?.[index] ?? y);
    const weight = series.weights?.[index] ?? 1;
    sum += y * weight;
    count += weight;
    last = y;
  });
  return count === 0 ? null : { min, mean: sum / count, max, last };
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
    const shown = date === day ? clock : `${clock}\n${date}`;
    day = date;
    return shown;
  });
}
