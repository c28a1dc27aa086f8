import { align } from './series';
import type { Aligned, ChartSeries } from './series';

/** One point of GET /device/hisdata/packed. Times ascend; NaN is a sample without a good number. */
export interface PackedPoint {
  dsid: number;
  t: Float64Array;
  v: Float64Array;
  /** 0: every sample; else the first, lowest, highest and last sample of each bucket of this width. */
  widthMs: number;
  /** Samples that they stand for. */
  count: number;
  /** Each time is that of its sample; otherwise it is within its bucket. */
  isExact: boolean;
}

export interface PackedHistory {
  startMs: number;
  endMs: number;
  points: PackedPoint[];
}

const MAGIC = 0x31545348; // "HST1"
const HEADER_BYTES = 24;
const POINT_BYTES = 32;
const FLAG_EXACT = 1;

/** Views on the reply, nothing is copied. Throws RangeError for what is no such reply. */
export function decodePacked(reply: ArrayBuffer): PackedHistory {
  const view = new DataView(reply);
  if (reply.byteLength < HEADER_BYTES || view.getUint32(0, true) !== MAGIC) throw new RangeError('no packed history');
  const count = view.getUint32(4, true);
  let at = HEADER_BYTES + count * POINT_BYTES;
  const points = Array.from({ length: count }, (_, index): PackedPoint => {
    const head = HEADER_BYTES + index * POINT_BYTES;
    const length = view.getUint32(head + 4, true);
    const t = new Float64Array(reply, at, length);
    const v = new Float64Array(reply, at + 8 * length, length);
    at += 16 * length;
    return {
      dsid: view.getUint32(head, true),
      t,
      v,
      widthMs: view.getFloat64(head + 16, true),
      count: view.getFloat64(head + 24, true),
      isExact: (view.getUint32(head + 8, true) & FLAG_EXACT) !== 0,
    };
  });
  if (at !== reply.byteLength) throw new RangeError('packed history is cut short');
  return { startMs: view.getFloat64(8, true), endMs: view.getFloat64(16, true), points };
}

/** Times and values for a line; a sample without a number is a gap. */
export function lineOf(point: PackedPoint): Pick<ChartSeries, 't' | 'y'> {
  return { t: Array.from(point.t), y: Array.from(point.v, (value) => (Number.isNaN(value) ? null : value)) };
}

/** Silence that is a gap: buckets are as far apart as they are wide, and one may be empty by chance. */
export function gapOf(point: PackedPoint, gapMs: number): number {
  return Math.max(gapMs, 2 * point.widthMs);
}

/** Decoded points as uPlot's data, each with its description, by dsid; points without one are left out. */
export function alignPacked(history: PackedHistory, series: readonly Omit<ChartSeries, 't' | 'y'>[]): Aligned {
  const described = new Map(series.map((one) => [one.id, one]));
  return align(
    history.points.flatMap((point) => {
      const one = described.get(point.dsid);
      return one === undefined ? [] : [{ ...one, ...lineOf(point), gapMs: gapOf(point, one.gapMs) }];
    }),
  );
}
