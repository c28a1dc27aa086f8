import { Subscriptions } from './subscriptions';

export const HEARTBEAT_MS = 60_000;
/** The cloud answers a heartbeat at once; a longer silence is a dead connection. */
export const REPLY_TIMEOUT_MS = 5_000;
export const BACKOFF_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000] as const;
const SETTLE_MS = 20;

export type LinkPhase = 'stopped' | 'connecting' | 'live' | 'lost';

export interface LinkState {
  phase: LinkPhase;
  /** When the connection was lost, UTC ms; null while it never was. */
  lostAtMs: number | null;
  /** When the next try starts, UTC ms. */
  retryAtMs: number | null;
}

export interface Wire {
  send: (text: string) => void;
  close: () => void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
}

export interface Surroundings {
  open: () => Wire;
  /** A token that is good for a while; null when there is no session. Rejects when it cannot be had now. */
  token: () => Promise<string | null>;
  now: () => number;
  random: () => number;
  after: (ms: number, work: () => void) => () => void;
  onMessage: (message: Record<string, unknown> & { type: string }) => void;
  onState: (state: LinkState) => void;
  /** Identified again after a loss at this time, UTC ms: what was missed must be fetched. */
  onResume: (lostAtMs: number) => void;
}

/** One connection for live data: identify, heartbeat, reconnect with back-off, subscriptions told again. */
export class LiveSocket {
  readonly subscriptions = new Subscriptions();
  readonly #around: Surroundings;
  #wire: Wire | null = null;
  #state: LinkState = { phase: 'stopped', lostAtMs: null, retryAtMs: null };
  #failures = 0;
  #timers = new Map<string, () => void>();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  start(): void {
    if (this.#state.phase !== 'stopped') return;
    this.#set({ phase: 'connecting', lostAtMs: null, retryAtMs: null });
    this.#connect();
  }

  stop(): void {
    this.#drop();
    this.#failures = 0;
    this.#set({ phase: 'stopped', lostAtMs: null, retryAtMs: null });
  }

  /** Do not wait for the back-off: the network came back or the user asks. */
  retryNow(): void {
    if (this.#state.phase !== 'lost' || this.#wire !== null) return;
    this.#cancel('retry');
    this.#connect();
  }

  /** The network changed or the machine woke: ask at once whether the connection still lives. */
  probe(): void {
    if (this.#state.phase === 'live') this.#beat();
    else this.retryNow();
  }

  /** The token was refreshed: the server shall know the new one before the old one ends. */
  renew(): void {
    if (this.#state.phase === 'live' && this.#wire !== null) void this.#identify(this.#wire);
  }

  /** Tell the server about changed subscriptions, gathered over a short moment. */
  touch(): void {
    if (this.#state.phase !== 'live' || this.#timers.has('settle')) return;
    this.#later('settle', SETTLE_MS, () => this.#tell());
  }

  #connect(): void {
    const wire = this.#around.open();
    this.#wire = wire;
    wire.onopen = () => void this.#identify(wire);
    wire.onmessage = (event) => this.#take(wire, event.data);
    wire.onclose = () => this.#lost(wire);
    this.#later('reply', REPLY_TIMEOUT_MS * 2, () => this.#lost(wire));
  }

  async #identify(wire: Wire): Promise<void> {
    const token = await this.#around.token().catch(() => null);
    if (wire !== this.#wire) return;
    if (token === null) {
      this.#lost(wire);
      return;
    }
    this.#send({ type: 'identify', token });
    this.#expectReply(wire);
  }

  #take(wire: Wire, data: unknown): void {
    if (wire !== this.#wire || typeof data !== 'string') return;
    const message = parse(data);
    if (message === null) return;
    this.#cancel('reply');
    if (message.type === 'identified') this.#identified();
    this.#around.onMessage(message);
  }

  #identified(): void {
    if (this.#state.phase === 'live') return;
    const { lostAtMs } = this.#state;
    this.#failures = 0;
    this.#set({ phase: 'live', lostAtMs: null, retryAtMs: null });
    this.subscriptions.forget();
    this.#tell();
    this.#later('heartbeat', HEARTBEAT_MS, () => this.#beat());
    if (lostAtMs !== null) this.#around.onResume(lostAtMs);
  }

  #beat(): void {
    if (this.#wire === null) return;
    this.#send({ type: 'heartbeat' });
    this.#expectReply(this.#wire);
    this.#later('heartbeat', HEARTBEAT_MS, () => this.#beat());
  }

  #expectReply(wire: Wire): void {
    this.#later('reply', REPLY_TIMEOUT_MS, () => this.#lost(wire));
  }

  #tell(): void {
    this.#cancel('settle');
    for (const message of this.subscriptions.changes()) this.#send(message);
  }

  #send(message: object): void {
    this.#wire?.send(JSON.stringify(message));
  }

  #lost(wire: Wire): void {
    if (wire !== this.#wire) return;
    this.#drop();
    const longest = BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length - 1)] ?? BACKOFF_MS[0];
    const waitMs = longest * (0.5 + this.#around.random() / 2);
    this.#failures += 1;
    const now = this.#around.now();
    this.#set({ phase: 'lost', lostAtMs: this.#state.lostAtMs ?? now, retryAtMs: now + waitMs });
    this.#later('retry', waitMs, () => this.#connect());
  }

  #drop(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    const wire = this.#wire;
    this.#wire = null;
    if (wire === null) return;
    wire.onopen = null;
    wire.onmessage = null;
    wire.onclose = null;
    wire.close();
  }

  #later(name: string, ms: number, work: () => void): void {
    this.#cancel(name);
    const cancel = this.#around.after(ms, () => {
      this.#timers.delete(name);
      work();
    });
    this.#timers.set(name, cancel);
  }

  #cancel(name: string): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }

  #set(state: LinkState): void {
    this.#state = state;
    this.#around.onState(state);
  }
}

function parse(text: string): (Record<string, unknown> & { type: string }) | null {
  try {
    const message: unknown = JSON.parse(text);
    const known =
      typeof message === 'object' && message !== null && 'type' in message && typeof message.type === 'string';
    return known ? (message as Record<string, unknown> & { type: string }) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
