/** One point of GET /device/hisdata/packed. Times ascend; NaN is a sample without a good number. */
export interface PackedPoint {
  dsid: number;
  t: Float64Array;
  v: Float64Array;
  /** 0: every sample; else the first, lowest, highest and last sample of each bucket of this width. */
  widthMs: number;
  /** Samples that they stand for. */
  count: number;
  /** Of these samples; NaN where each of them is here. */
  mean: number;
  /** Each time is that of its sample; otherwise it is within its bucket. */
  isExact: boolean;
  /** There is more than was answered; the newest is here. */
  isTruncated: boolean;
  /** What is damaged and cannot be read. */
  gaps: Gap[];
}

/** First and last millisecond. */
export interface Gap {
  startMs: number;
  endMs: number;
}

export interface PackedHistory {
  startMs: number;
  endMs: number;
  points: PackedPoint[];
}

const MAGIC = 0x31545348; // "HST1"
const HEADER_BYTES = 24;
const POINT_BYTES = 40;
const GAP_BYTES = 16;
const FLAG_EXACT = 1;
const FLAG_TRUNCATED = 2;

/** Views on the reply, nothing is copied. Throws RangeError for what is no such reply. */
export function decodePacked(reply: ArrayBuffer): PackedHistory {
  const view = new DataView(reply);
  if (reply.byteLength < HEADER_BYTES || view.getUint32(0, true) !== MAGIC) throw new RangeError('no packed history');
  const count = view.getUint32(4, true);
  let at = HEADER_BYTES + count * POINT_BYTES;
  if (at > reply.byteLength) throw new RangeError('packed history is cut short');
  const points = Array.from({ length: count }, (_, index): PackedPoint => {
    const head = HEADER_BYTES + index * POINT_BYTES;
    const length = view.getUint32(head + 4, true);
    const flags = view.getUint32(head + 8, true);
    const t = new Float64Array(reply, at, length);
    const v = new Float64Array(reply, at + 8 * length, length);
    at += 16 * length;
    return {
      dsid: view.getUint32(head, true),
      t,
      v,
      widthMs: view.getFloat64(head + 16, true),
      count: view.getFloat64(head + 24, true),
      mean: view.getFloat64(head + 32, true),
      isExact: (flags & FLAG_EXACT) !== 0,
      isTruncated: (flags & FLAG_TRUNCATED) !== 0,
      gaps: [],
    };
  });
  points.forEach((point, index) => {
    const end = at + GAP_BYTES * view.getUint32(HEADER_BYTES + index * POINT_BYTES + 12, true);
    for (; at < end; at += GAP_BYTES)
      point.gaps.push({ startMs: view.getFloat64(at, true), endMs: view.getFloat64(at + 8, true) });
  });
  if (at !== reply.byteLength) throw new RangeError('packed history is cut short');
  return { startMs: view.getFloat64(8, true), endMs: view.getFloat64(16, true), points };
}
