import type { Tone } from '@/lib/sounds';
import type { Notifications } from './settings';

/** What is new began at most this long ago, unless a message says otherwise. */
export const NEW_SINCE_MS = 60_000;
/** Events of one moment are told together. */
export const SETTLE_MS = 400;
/** Of the three toasts that the portal shows one is left for what else is to be said. */
export const MAX_TOASTS = 2;
/** More events than this in this time are a flood: nobody reads them one by one. */
export const STORM_EVENTS = 10;
export const STORM_MS = 600_000;
/** In a flood a tone says that it lasts, and no more. */
export const STORM_TONE_MS = 60_000;
const MAX_REMEMBERED = 500;

export type Kind = 'alarm' | 'onoff';

export interface FeedItem {
  kind: Kind;
  id: number;
  /** UTC ms. */
  at: number;
  /** An alarm's recovery, or something that came back. */
  good: boolean;
  /** For how many of a gateway it stands in a flood; absent for one. */
  count?: number;
}

/** What many events are told as. */
export type Counts = Record<Kind | 'recovery', number>;

const NOTHING: Counts = { alarm: 0, recovery: 0, onoff: 0 };

interface Surroundings {
  now: () => number;
  /** Returns the function that cancels. */
  after: (ms: number, work: () => void) => () => void;
  isHidden: () => boolean;
  settings: () => Notifications;
  /** False when it was not heard, and the next event may try again. */
  tone: (tone: Tone) => boolean;
  showEach: (items: readonly FeedItem[]) => void;
  /** One toast for many; its counts grow while it is shown. */
  showTogether: (counts: Counts) => void;
  hideEach: (items: readonly FeedItem[]) => void;
}

/** Start of a look for what is new: a minute ago, or earlier when an event is older. Both UTC ms. */
export function feedStart(now: number, items: readonly Pick<FeedItem, 'at'>[] = []): number {
  return Math.min(now - NEW_SINCE_MS, ...items.map(({ at }) => at));
}

/** A coming and a going of one absence have one number. */
export function keyOf({ kind, id, good }: FeedItem): string {
  return `${kind}:${id}:${good ? 'good' : 'bad'}`;
}

function plus(counts: Counts, { kind, good, count = 1 }: FeedItem): Counts {
  const name = kind === 'alarm' && good ? 'recovery' : kind;
  return { ...counts, [name]: counts[name] + count };
}

/** Decides what of the events becomes a toast and a tone: each once, few at a time, many together. */
export class EventFeed {
  readonly #around: Surroundings;
  readonly #known = new Set<string>();
  readonly #open = new Map<string, FeedItem>();
  #times: number[] = [];
  #tonedAtMs = -Infinity;
  #waiting: FeedItem[] = [];
  #more: Counts = NOTHING;
  #together: Counts | null = null;
  #cancel: (() => void) | null = null;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  take(item: FeedItem): void {
    if (!this.#around.settings()[item.kind] || this.#knows(item)) return;
    const count = item.count ?? 1;
    const now = this.#around.now();
    const came = Array.from({ length: Math.min(count, STORM_EVENTS + 1) }, () => now);
    this.#times = [...this.#times, ...came].slice(-STORM_EVENTS - 1);
    this.#sound(item);
    // More than can be told one by one are only counted.
    if (count === 1 && this.#waiting.length <= MAX_TOASTS) this.#waiting.push(item);
    else this.#more = plus(this.#more, item);
    this.#later();
  }

  /** Somebody looks at the page again: what came meanwhile is told. */
  becameVisible(): void {
    if (this.#waiting.length > 0) this.#later();
  }

  closed(item: FeedItem): void {
    this.#open.delete(keyOf(item));
  }

  closedTogether(): void {
    this.#together = null;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #knows(item: FeedItem): boolean {
    const key = keyOf(item);
    if (this.#known.has(key)) return true;
    this.#known.add(key);
    const [oldest] = this.#known;
    if (this.#known.size > MAX_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
    return false;
  }

  get #isStorm(): boolean {
    const [first] = this.#times;
    return this.#times.length > STORM_EVENTS && first !== undefined && this.#around.now() - first <= STORM_MS;
  }

  /** At once, without waiting for others: timers of a hidden page are slow. */
  #sound({ kind, good }: FeedItem): void {
    const { alarmTone, onoffTone } = this.#around.settings();
    if (!(kind === 'alarm' ? alarmTone : onoffTone)) return;
    const now = this.#around.now();
    if (this.#isStorm && now - this.#tonedAtMs < STORM_TONE_MS) return;
    const tones = { alarm: ['alarm', 'recovery'], onoff: ['went', 'came'] } as const;
    if (this.#around.tone(tones[kind][good ? 1 : 0])) this.#tonedAtMs = now;
  }

  #later(): void {
    if (this.#cancel !== null || this.#around.isHidden()) return;
    this.#cancel = this.#around.after(SETTLE_MS, () => this.#tell());
  }

  #tell(): void {
    this.#cancel = null;
    if (this.#around.isHidden()) return;
    const items = this.#waiting;
    const more = this.#more;
    this.#waiting = [];
    this.#more = NOTHING;
    const few = more === NOTHING && this.#open.size + items.length <= MAX_TOASTS;
    if (few && this.#together === null && !this.#isStorm) {
      for (const item of items) this.#open.set(keyOf(item), item);
      this.#around.showEach(items);
      return;
    }
    const open = [...this.#open.values()];
    this.#open.clear();
    const counts = this.#together ?? NOTHING;
    const known: Counts = {
      alarm: counts.alarm + more.alarm,
      recovery: counts.recovery + more.recovery,
      onoff: counts.onoff + more.onoff,
    };
    this.#together = [...items, ...open].reduce(plus, known);
    this.#around.hideEach(open);
    this.#around.showTogether({ ...this.#together });
  }
}
