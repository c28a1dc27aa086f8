import type { ChartSpan } from '@/charts/annotations';
import type { GrowingSeries } from '@/blocks/history/series';
import { isTrusted, plotted } from '@/blocks/history/series';
import { staleAfterMs } from '@/lib/quality';
import type { LastValue } from '@/lib/quality';
import type { DataSource } from './api';

/** Most samples kept of one point; older ones go first. */
export const MAX_SAMPLES = 20_000;
/** Record mode of a point of which every reading is sent. */
const EVERY_READING = 1;

export interface Samples {
  t: number[];
  y: (number | null)[];
}

/** Add a sample in its order; the same or an older time is not new. Bounded. */
export function append(samples: Samples, tMs: number, y: number | null): boolean {
  const last = samples.t.at(-1);
  if (last !== undefined && tMs <= last) return false;
  samples.t.push(tMs);
  samples.y.push(y);
  if (samples.t.length > MAX_SAMPLES) {
    samples.t.shift();
    samples.y.shift();
  }
  return true;
}

type Watch = (dsid: number, listener: (now: LastValue) => void) => () => void;

/** What was pushed of each point since it is followed. Points that stay keep their samples when others come or go. */
export class RecentSamples {
  readonly #watch: Watch;
  readonly #followed = new Map<number, { samples: Samples; leave: () => void }>();

  constructor(watch: Watch) {
    this.#watch = watch;
  }

  follow(sources: readonly DataSource[]): void {
    const wanted = new Set(sources.map(({ dsid }) => dsid));
    for (const [dsid, { leave }] of this.#followed) {
      if (wanted.has(dsid)) continue;
      leave();
      this.#followed.delete(dsid);
    }
    for (const source of sources) {
      if (this.#followed.has(source.dsid)) continue;
      const samples: Samples = { t: [], y: [] };
      const take = ({ t_ms, value, quality }: LastValue): void =>
        void append(samples, t_ms, isTrusted(quality) ? plotted(value, source) : null);
      this.#followed.set(source.dsid, { samples, leave: this.#watch(source.dsid, take) });
    }
  }

  of(dsid: number): Samples | undefined {
    return this.#followed.get(dsid)?.samples;
  }
}

/** A line without what is older, but for the last sample before: the line comes from there. */
export function since(line: GrowingSeries, fromMs: number): GrowingSeries {
  const at = firstFrom(line.t, fromMs) - 1;
  if (at <= 0) return line;
  const weights = line.weights?.slice(at);
  const cut = { ...line, t: line.t.slice(at), y: line.y.slice(at), ...(weights === undefined ? {} : { weights }) };
  return line.low === undefined || line.high === undefined
    ? cut
    : { ...cut, low: line.low.slice(at), high: line.high.slice(at) };
}

/** Place of the first time from fromMs on; the length when there is none. Times rise. */
function firstFrom(t: readonly number[], fromMs: number): number {
  let [low, high] = [0, t.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((t[middle] ?? 0) < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A line that goes on with what was pushed after its last sample. */
export function withPushed(base: GrowingSeries, pushed: Samples | undefined): GrowingSeries {
  const last = base.t.at(-1) ?? -Infinity;
  const from = pushed === undefined ? 0 : firstFrom(pushed.t, last + 1);
  if (pushed === undefined || from === pushed.t.length) return base;
  const y = pushed.y.slice(from);
  const grown = { ...base, t: base.t.concat(pushed.t.slice(from)), y: base.y.concat(y) };
  if (base.low === undefined || base.high === undefined) return grown;
  return { ...grown, low: base.low.concat(y), high: base.high.concat(y) };
}

/** Times in which a line has no value: it was told that there is none, or nothing came for too long. endMs: null while it lasts. */
export function silences(
  line: GrowingSeries,
  source: Pick<DataSource, 'record' | 'period_ms'>,
  nowMs: number,
  reportMs = 0,
): ChartSpan[] {
  const spans: ChartSpan[] = [];
  const { t, y, gapMs } = line;
  let startMs: number | null = null;
  for (let at = 0; at < t.length; at++) {
    const time = t[at] ?? 0;
    const before = t[at - 1];
    if (startMs === null && before !== undefined && time - before > gapMs) startMs = before;
    if (y[at] === null) startMs ??= time;
    else if (startMs !== null) {
      spans.push({ startMs, endMs: time });
      startMs = null;
    }
  }
  const last = t.at(-1);
  const isOld =
    last !== undefined &&
    source.record === EVERY_READING &&
    nowMs - last > staleAfterMs(source.period_ms, source.record, reportMs);
  if (startMs !== null || isOld) spans.push({ startMs: startMs ?? last ?? nowMs, endMs: null });
  return spans;
}

/** How often lines break without a value that says so, in all of them. */
export function breaks(lines: readonly GrowingSeries[]): number {
  return lines.reduce(
    (sum, { t, gapMs }) => sum + t.filter((time, at) => at > 0 && time - (t[at - 1] ?? 0) > gapMs).length,
    0,
  );
}
