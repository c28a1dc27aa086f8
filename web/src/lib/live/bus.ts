import { stays } from '../quality';
import type { LastValue } from '../quality';
import { followed } from './changes';

export type Listener = (now: LastValue, before: LastValue | undefined) => void;

/**
 * Latest value of each watched point. Listeners write the DOM themselves; they are called at most once
 * per point and frame. What nobody watches is not kept, so memory is bounded by what is on the screen.
 */
export class LiveBus {
  readonly #latest = new Map<number, LastValue>();
  readonly #listeners = new Map<number, Set<Listener>>();
  /** Points with news, and what they held at the last flush. */
  readonly #dirty = new Map<number, LastValue | undefined>();
  readonly #offered = new WeakSet<LastValue>();
  readonly #schedule: (flush: () => void) => void;
  readonly #onWatch: (dsid: number, watched: boolean) => void;
  #scheduled = false;
  unwatched = 0;

  constructor(schedule: (flush: () => void) => void, onWatch: (dsid: number, watched: boolean) => void) {
    this.#schedule = schedule;
    this.#onWatch = onWatch;
  }

  /** Take a value; an older one than the known is ignored, unless the known one's time is in doubt. */
  put(dsid: number, value: LastValue): void {
    if (!this.#listeners.has(dsid)) {
      this.unwatched += 1;
      return;
    }
    const known = this.#latest.get(dsid);
    if (known !== undefined && (stays(known, value) || isSame(known, value))) return;
    if (!this.#dirty.has(dsid)) this.#dirty.set(dsid, known);
    this.#latest.set(dsid, followed(known, value));
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#schedule(() => this.flush());
  }

  /** Take the API's answer, each once: drawn again later it is older than what was pushed since, with the same time. */
  offer(dsid: number, value: LastValue): void {
    if (this.#latest.has(dsid) && this.#offered.has(value)) return;
    this.#offered.add(value);
    this.put(dsid, value);
  }

  get(dsid: number): LastValue | undefined {
    return this.#latest.get(dsid);
  }

  /** Watch a point; a known value is told at once. Returns the function that ends it. */
  watch(dsid: number, listener: Listener): () => void {
    const own: Listener = (now, before) => listener(now, before);
    let listeners = this.#listeners.get(dsid);
    if (listeners === undefined) {
      listeners = new Set();
      this.#listeners.set(dsid, listeners);
      this.#onWatch(dsid, true);
    }
    listeners.add(own);
    const known = this.#latest.get(dsid);
    if (known !== undefined) own(known, undefined);
    return () => this.#leave(dsid, own);
  }

  #leave(dsid: number, listener: Listener): void {
    const listeners = this.#listeners.get(dsid);
    if (listeners === undefined || !listeners.delete(listener) || listeners.size > 0) return;
    this.#listeners.delete(dsid);
    this.#latest.delete(dsid);
    this.#dirty.delete(dsid);
    this.#onWatch(dsid, false);
  }

  /** Tell every listener its point's news. */
  flush(): void {
    this.#scheduled = false;
    const changes = [...this.#dirty];
    this.#dirty.clear();
    for (const [dsid, before] of changes) {
      const now = this.#latest.get(dsid);
      if (now === undefined) continue;
      for (const listener of this.#listeners.get(dsid) ?? []) listener(now, before);
    }
  }
}

function isSame(a: LastValue, b: LastValue): boolean {
  return a.t_ms === b.t_ms && a.value === b.value && a.quality === b.quality;
}
