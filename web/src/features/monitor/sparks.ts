import type { LastValue } from '@/lib/quality';

/** Time that a sparkline shows. */
export const SPARK_MS = 10 * 60_000;
/** Most samples kept of one point; older ones go first. */
const MAX_SAMPLES = 1200;
/** As many as the cloud tells at once. */
const MAX_ASKED = 64;
/** Rows that come into view while one scrolls are asked for together. */
const GATHER_MS = 200;
/** What was out of view for longer has missed samples and is asked for anew. */
const FRESH_MS = 5_000;
/** Ticks between two drawings: a pixel is six seconds. */
const DRAW_TICKS = 6;

export interface SparkSamples {
  t: number[];
  y: (number | null)[];
}

export interface Around {
  now: () => number;
  watch: (dsid: number, listener: (now: LastValue) => void) => () => void;
  /** Samples of these points since then; null when they cannot be told. */
  ask: (dsids: readonly number[], fromMs: number, toMs: number) => Promise<ReadonlyMap<number, SparkSamples> | null>;
  onTick: (listener: () => void) => () => void;
  after: (ms: number, work: () => void) => () => void;
  draw: (spark: Spark, samples: SparkSamples, fromMs: number, toMs: number) => void;
}

/** A point's place on the page. plotted: its value as a number. */
export interface Spark {
  dsid: number;
  element: HTMLCanvasElement;
  plotted: (now: LastValue) => number | null;
}

interface Line {
  spark: Spark;
  samples: SparkSamples;
  leave: (() => void) | null;
  /** Until when its samples are complete; null before they were asked for. */
  freshMs: number | null;
}

/** Samples in order of time; those up to the base's last are its. */
export function merged(base: SparkSamples, pushed: SparkSamples, fromMs: number): SparkSamples {
  const last = base.t.at(-1) ?? -Infinity;
  const t = [...base.t, ...pushed.t.filter((at) => at > last)];
  const y = [...base.y, ...pushed.y.filter((_, index) => (pushed.t[index] ?? 0) > last)];
  const first = Math.max(
    t.findLastIndex((at) => at < fromMs),
    t.length - MAX_SAMPLES,
    0,
  );
  return { t: t.slice(first), y: y.slice(first) };
}

/** Sparklines of a page: rows in view are asked for together, then follow what is pushed, and are drawn on one beat. */
export class SparkBoard {
  readonly #around: Around;
  readonly #lines = new Map<Element, Line>();
  readonly #waiting = new Set<Line>();
  #stopTick: (() => void) | null = null;
  #stopAsk: (() => void) | null = null;
  #ticks = 0;

  constructor(around: Around) {
    this.#around = around;
  }

  add(spark: Spark): () => void {
    const line: Line = { spark, samples: { t: [], y: [] }, leave: null, freshMs: null };
    this.#lines.set(spark.element, line);
    return () => {
      this.seen(spark.element, false);
      this.#lines.delete(spark.element);
    };
  }

  /** A place came into view, or left it. */
  seen(element: Element, isSeen: boolean): void {
    const line = this.#lines.get(element);
    if (line === undefined || isSeen === (line.leave !== null)) return;
    if (isSeen) this.#follow(line);
    else this.#leave(line);
  }

  #follow(line: Line): void {
    line.leave = this.#around.watch(line.spark.dsid, (now) => {
      const { samples } = line;
      if (now.t_ms <= (samples.t.at(-1) ?? -Infinity)) return;
      samples.t.push(now.t_ms);
      samples.y.push(line.spark.plotted(now));
      if (samples.t.length > MAX_SAMPLES) {
        samples.t.shift();
        samples.y.shift();
      }
    });
    if (line.freshMs === null || this.#around.now() - line.freshMs > FRESH_MS) {
      this.#waiting.add(line);
      this.#stopAsk ??= this.#around.after(GATHER_MS, () => void this.#ask());
    } else this.#draw(line);
    this.#stopTick ??= this.#around.onTick(() => this.#tick());
  }

  #leave(line: Line): void {
    line.leave?.();
    line.leave = null;
    this.#waiting.delete(line);
    if (line.freshMs !== null) line.freshMs = this.#around.now();
    if ([...this.#lines.values()].some(({ leave }) => leave !== null)) return;
    this.#stopTick?.();
    this.#stopTick = null;
    this.#stopAsk?.();
    this.#stopAsk = null;
  }

  async #ask(): Promise<void> {
    this.#stopAsk = null;
    const lines = [...this.#waiting].slice(0, MAX_ASKED);
    for (const line of lines) this.#waiting.delete(line);
    if (this.#waiting.size > 0) this.#stopAsk = this.#around.after(GATHER_MS, () => void this.#ask());
    if (lines.length === 0) return;
    const toMs = this.#around.now();
    const reply = await this.#around.ask(
      lines.map(({ spark }) => spark.dsid),
      toMs - SPARK_MS,
      toMs,
    );
    for (const line of lines) {
      const base = reply?.get(line.spark.dsid);
      if (base !== undefined) line.samples = merged(base, line.samples, toMs - SPARK_MS);
      line.freshMs = this.#around.now();
      this.#draw(line);
    }
  }

  #tick(): void {
    this.#ticks += 1;
    if (this.#ticks % DRAW_TICKS !== 0) return;
    for (const line of this.#lines.values()) if (line.leave !== null) this.#draw(line);
  }

  #draw(line: Line): void {
    const now = this.#around.now();
    line.samples = merged(line.samples, { t: [], y: [] }, now - SPARK_MS);
    this.#around.draw(line.spark, line.samples, now - SPARK_MS, now);
  }
}
