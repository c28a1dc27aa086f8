import type { TraceEntry, TracePush } from '@/lib/live';

/** Entries that a page holds; of more the oldest go, counted. */
export const MAX_HELD = 20_000;

/** An entry, or a place where some are missing. key: of the row, in this page. */
export type TraceLine =
  | { key: number; entry: TraceEntry; missing: 0 }
  /** t_ms: of the entry after it. */
  | { key: number; entry: null; missing: number; t_ms: number };

export interface TraceCounts {
  received: number;
  /** Dropped by the gateway, or lost on the way. */
  missing: number;
  /** Received and no longer held. */
  forgotten: number;
}

/** What came of one trace, in order, each once, with what is missing between. */
export class TraceBuffer {
  #lines: TraceLine[] = [];
  #sinceMs = 0;
  /** The last number that is accounted for; null before the first message. */
  #upto: number | null = null;
  #key = 0;
  #counts: TraceCounts = { received: 0, missing: 0, forgotten: 0 };

  get lines(): readonly TraceLine[] {
    return this.#lines;
  }

  get counts(): TraceCounts {
    return this.#counts;
  }

  /** A message that comes twice changes nothing. Who joins a trace misses nothing of what went before. */
  take(push: TracePush): void {
    if (push.since_ms !== this.#sinceMs) {
      this.#sinceMs = push.since_ms;
      this.#upto = null;
    }
    const first = push.entries[0];
    let upto = this.#upto ?? (first === undefined ? push.upto : first.seq - 1);
    const added: TraceLine[] = [];
    let missing = 0;
    for (const entry of push.entries) {
      if (entry.seq <= upto) continue;
      missing += this.#gap(added, entry.seq - upto - 1, entry.t_ms);
      added.push({ key: this.#next(), entry, missing: 0 });
      upto = entry.seq;
    }
    if (push.upto > upto) {
      missing += this.#gap(added, push.upto - upto, push.entries.at(-1)?.t_ms ?? push.since_ms);
      upto = push.upto;
    }
    this.#upto = upto;
    this.#keep(added, missing);
  }

  clear(): void {
    this.#lines = [];
    this.#counts = { received: 0, missing: 0, forgotten: 0 };
  }

  #gap(added: TraceLine[], missing: number, tMs: number): number {
    if (missing > 0) added.push({ key: this.#next(), entry: null, missing, t_ms: tMs });
    return missing;
  }

  #next(): number {
    this.#key += 1;
    return this.#key;
  }

  #keep(added: readonly TraceLine[], missing: number): void {
    if (added.length === 0) return;
    const all = [...this.#lines, ...added];
    const held = all.slice(Math.max(all.length - MAX_HELD, 0));
    this.#lines = held;
    this.#counts = {
      received: this.#counts.received + added.filter((line) => line.entry !== null).length,
      missing: this.#counts.missing + missing,
      forgotten: this.#counts.forgotten + all.length - held.length,
    };
  }
}
