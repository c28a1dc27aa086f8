import type { DataSource, Series } from '@/api/generated/types.gen';
import type { PackedPoint } from '@/charts/packed';
import type { ChartSeries } from '@/charts/series';
import { choicesOf, formatNumber, formatValue, isSwitch, nameOf, positionOf, positionText } from '@/lib/numbers';
import type { SwitchWords } from '@/lib/numbers';
import { QUALITY } from '@/lib/quality';
import type { PointValue } from '@/lib/quality';
import { formatDateTime } from '@/lib/time';

/** Silence of more periods than this is shown as a gap. */
export const GAP_PERIODS = 3;
/** Most points in one chart: as many as there are colours. */
export const MAX_SERIES = 8;

export function isChartable(source: Pick<DataSource, 'ds_type'>): boolean {
  return source.ds_type === 'num' || source.ds_type === 'swh' || source.ds_type === 'cal';
}

/** A number for a chart: switches as 1 and 0; null for what is none. */
export function plotted(value: PointValue, source: DataSource): number | null {
  const position = positionOf(value, source);
  if (position !== null) return Number(position);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Longest silence that is not a gap. Points recorded on change only are silent while nothing changes. */
function gapOf(source: DataSource, bucketGapMs: number): number {
  if (source.record !== 1) return Infinity;
  if (bucketGapMs > 0) return Math.max(GAP_PERIODS * source.period_ms, bucketGapMs);
  return source.period_ms > 0 ? GAP_PERIODS * source.period_ms : Infinity;
}

/** Longest silence within a line of raw samples. */
export function lineGapMs(source: DataSource): number {
  return gapOf(source, 0);
}

/** Good, or good but for the gateway's clock. Buckets hold good samples only and have no quality of their own. */
export function isTrusted(quality: number | undefined): boolean {
  return quality === undefined || QUALITY[quality] === 'good' || QUALITY[quality] === 'uncertainTime';
}

/** A value of a line in words: of a switch between its positions the share that was on. */
function inWords(value: number, source: DataSource, words: SwitchWords): string {
  if (isSwitch(source) && value > 0 && value < 1) return `${Math.round(value * 100)} %`;
  return formatValue(value, source, words);
}

/** Names of the values of a switch or selector; null for other points. */
function namesOf(source: DataSource, words: SwitchWords): readonly (readonly [number, string])[] | null {
  if (isSwitch(source))
    return [
      [0, positionText(false, source, words)],
      [1, positionText(true, source, words)],
    ];
  const choices = choicesOf(source);
  return choices.length === 0 ? null : choices.map(({ value, name }) => [value, name]);
}

function described(source: DataSource, bucketGapMs: number, words: SwitchWords): Omit<ChartSeries, 't' | 'y'> {
  const names = namesOf(source, words);
  return {
    id: source.dsid,
    label: `${source.slave_title} · ${source.ds_title}`,
    unit: source.unit,
    decimals: source.decimals ?? null,
    stepped: names !== null || source.record === 2,
    gapMs: gapOf(source, bucketGapMs),
    min: source.min ?? null,
    max: source.max ?? null,
    limits: source.alarm_limits ?? [],
    ...(typeof source.line_color === 'string' ? { color: source.line_color } : {}),
    ...(names === null
      ? {}
      : { names, text: (value) => inWords(value, source, words), meanText: (mean) => meanText(mean, source) }),
  };
}

/** Of a switch the share of time that it was on; modes have no mean. */
function meanText(mean: number, source: DataSource): string {
  return isSwitch(source) ? `${Math.round(mean * 100)} %` : '–';
}

/** A point of the binary history of a window as a line: its samples, or first, lowest, highest and last of each bucket. */
export function packedSeries(
  source: DataSource,
  point: PackedPoint | undefined,
  fromMs: number,
  toMs: number,
  words: SwitchWords,
): ChartSeries {
  // Buckets are as far apart as they are wide, and one may be empty by chance.
  const base = described(source, 2 * (point?.widthMs ?? 0), words);
  if (point === undefined) return { ...base, t: [], y: [] };
  const finite = (value: number): number | null => (Number.isNaN(value) ? null : value);
  const line = { ...base, t: point.t, y: point.v.some(Number.isNaN) ? Array.from(point.v, finite) : point.v };
  return point.widthMs === 0 ? line : { ...line, mean: { fromMs, toMs, value: finite(point.mean) } };
}

/** A line to which more is added. */
export interface GrowingSeries extends ChartSeries {
  t: readonly number[];
  y: readonly (number | null)[];
}

/** A series of the cloud as a line that goes on; raw samples, or means with their band. */
export function chartSeries(source: DataSource, series: Series | undefined, words: SwitchWords): GrowingSeries {
  const base = { ...described(source, 1.5 * (series?.width_ms ?? 0), words), t: series?.t ?? [] };
  if (series === undefined) return { ...base, y: [] };
  if (series.width_ms === 0) {
    // What could not be trusted is a gap in the line; the table shows it with its quality.
    return {
      ...base,
      y: (series.v ?? []).map((value, index) => (isTrusted(series.q?.[index]) ? plotted(value, source) : null)),
    };
  }
  return {
    ...base,
    y: series.mean ?? [],
    low: series.min ?? [],
    high: series.max ?? [],
    weights: series.count ?? undefined,
  };
}

/** A line of an earlier period moved to where it is compared; limits and band belong to the line itself. */
export function ghostSeries(line: ChartSeries, index: number, shiftMs: number, label: string): ChartSeries {
  const { low: _low, high: _high, mean, ...rest } = line;
  const moved =
    mean === undefined ? {} : { mean: { ...mean, fromMs: mean.fromMs + shiftMs, toMs: mean.toMs + shiftMs } };
  return {
    ...rest,
    ...moved,
    id: -1 - line.id,
    label,
    t: Float64Array.from(line.t, (t) => t + shiftMs),
    min: null,
    max: null,
    ghostOf: index,
  };
}

export interface Cell {
  text: string;
  /** For a file: numbers in full, named values by their names. */
  raw: PointValue;
  low: number | null;
  high: number | null;
  /** From the lowest to the highest of a bucket; empty where they are the same. */
  band: string;
  /** Quality's number when the value cannot be trusted. */
  bad: number | null;
}

export interface TableRow {
  t_ms: number;
  cells: (Cell | null)[];
}

/** One row for each time at which any of the series has something, newest first. */
export function tableRows(sources: readonly DataSource[], series: readonly Series[], words: SwitchWords): TableRow[] {
  const rows = new Map<number, (Cell | null)[]>();
  sources.forEach((source, column) => {
    const one = series.find((each) => each.dsid === source.dsid);
    one?.t.forEach((t, index) => {
      let cells = rows.get(t);
      if (cells === undefined) {
        cells = sources.map(() => null);
        rows.set(t, cells);
      }
      cells[column] = cellOf(source, one, index, words);
    });
  });
  return [...rows].sort(([a], [b]) => b - a).map(([t_ms, cells]) => ({ t_ms, cells }));
}

function cellOf(source: DataSource, series: Series, index: number, words: SwitchWords): Cell {
  if (series.width_ms === 0) {
    const value = series.v?.[index] ?? null;
    const quality = series.q?.[index];
    const raw = nameOf(value, source, words) ?? value;
    return {
      text: formatValue(value, source, words),
      raw,
      low: null,
      high: null,
      band: '',
      bad: isTrusted(quality) ? null : (quality ?? null),
    };
  }
  const [mean, low, high] = [series.mean?.[index] ?? null, series.min?.[index] ?? null, series.max?.[index] ?? null];
  const isNamed = isSwitch(source) || choicesOf(source).length > 0;
  const text = isNamed && mean !== null ? meanText(mean, source) : formatValue(mean, source, words);
  const edge = (value: number): string =>
    isNamed ? formatValue(value, source, words) : formatNumber(value, source.decimals ?? 2);
  const band = low === null || high === null || low === high ? '' : `${edge(low)} – ${edge(high)}`;
  return { text, raw: mean, low, high, band, bad: null };
}

function field(value: PointValue): string {
  const text = value === null ? '' : String(value);
  // A leading sign of a formula would be run by a spreadsheet; numbers are left as they are.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Of the first line of a file. */
export type HeadWords = Readonly<Record<'time' | 'mean' | 'min' | 'max', string>>;

/** Comma separated values, oldest first; a bucket has three columns. */
export function csvOf(
  rows: readonly TableRow[],
  sources: readonly DataSource[],
  bucketed: boolean,
  words: HeadWords,
): string {
  const head = sources.flatMap((source) => {
    const name = `${source.slave_title} ${source.ds_title}${source.unit === '' ? '' : ` (${source.unit})`}`;
    return bucketed ? [`${name} ${words.mean}`, `${name} ${words.min}`, `${name} ${words.max}`] : [name];
  });
  const lines = rows
    .toReversed()
    .map((row) => [
      formatDateTime(row.t_ms, true),
      ...row.cells.flatMap((cell) =>
        bucketed ? [cell?.raw ?? null, cell?.low ?? null, cell?.high ?? null] : [cell?.raw ?? null],
      ),
    ]);
  return [[words.time, ...head], ...lines].map((line) => line.map(field).join(',')).join('\r\n');
}
