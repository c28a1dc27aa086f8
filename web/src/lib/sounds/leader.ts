/** Another tab that leads answers at once; this is long for a message between tabs. */
export const ANSWER_MS = 250;
/** A leader that did not say 'played' within this time of an event is gone. */
export const TAKE_OVER_MS = 2_000;

interface Word {
  kind: 'ask' | 'mine' | 'free' | 'played';
  from: string;
}

/** Words between the tabs of one browser; what one sends the others get. */
export interface Channel {
  send: (word: Word) => void;
  /** Called once: who takes what the others send. */
  listen: (take: (word: unknown) => void) => void;
}

interface Surroundings {
  /** Unlike that of every other tab. */
  id: string;
  channel: Channel;
  now: () => number;
  /** Returns the function that cancels. */
  after: (ms: number, work: () => void) => () => void;
  onRole: (role: Role) => void;
}

/** out: cannot or will not play; asking: whether somebody leads; following: another tab plays. */
export type Role = 'out' | 'asking' | 'following' | 'leading';

/**
 * One of the tabs that are able to sound plays for all. A leader needs no heartbeat, whose timers a browser slows down in
 * the background: it says 'played' with each tone, and who misses that takes over. Of two leaders the smaller id stays.
 */
export class Leader {
  readonly #around: Surroundings;
  #role: Role = 'out';
  #heardPlayedMs = -Infinity;
  #cancelAnswer: (() => void) | null = null;
  #cancelWait: (() => void) | null = null;
  #owed: (() => void) | null = null;

  constructor(around: Surroundings) {
    this.#around = around;
    around.channel.listen((word) => isWord(word) && this.#hear(word));
  }

  get role(): Role {
    return this.#role;
  }

  /** This tab can sound now. */
  join(): void {
    if (this.#role === 'out') this.#ask();
  }

  leave(): void {
    const led = this.#role === 'leading';
    this.#forget();
    this.#become('out');
    if (led) this.#say('free');
  }

  /**
   * Something happened that every tab hears of: play, if this is the tab that plays. False when nobody is known to be one;
   * while that is asked for, it is played with the answer.
   */
  run(play: () => void): boolean {
    if (this.#role === 'leading') this.#play(play);
    else if (this.#role === 'asking') this.#owed = play;
    else if (this.#role === 'following' && this.#cancelWait === null) this.#expect(play);
    return this.#role !== 'out';
  }

  #expect(play: () => void): void {
    if (this.#around.now() - this.#heardPlayedMs < TAKE_OVER_MS) return;
    this.#cancelWait = this.#around.after(TAKE_OVER_MS, () => {
      this.#cancelWait = null;
      this.#owed = play;
      this.#ask();
    });
  }

  #ask(): void {
    this.#become('asking');
    this.#cancelAnswer?.();
    this.#cancelAnswer = this.#around.after(ANSWER_MS, () => this.#lead());
    this.#say('ask');
  }

  #lead(): void {
    this.#cancelAnswer = null;
    this.#become('leading');
    this.#say('mine');
    const owed = this.#owed;
    this.#owed = null;
    if (owed !== null) this.#play(owed);
  }

  #play(play: () => void): void {
    this.#say('played');
    play();
  }

  #hear({ kind, from }: Word): void {
    if (this.#role === 'out') return;
    if (kind === 'ask') {
      if (this.#role === 'leading') this.#say('mine');
    } else if (kind === 'free') {
      if (this.#role === 'following') this.#ask();
    } else if (this.#role === 'leading' && this.#around.id < from) {
      this.#say('mine');
    } else {
      if (kind === 'played') this.#heardPlayedMs = this.#around.now();
      this.#follow(kind);
    }
  }

  /** Another tab leads. What waits for the leader is done when it has played, and goes on waiting when it only spoke. */
  #follow(kind: 'mine' | 'played'): void {
    this.#cancelAnswer?.();
    this.#cancelAnswer = null;
    this.#owed = null;
    if (kind === 'played') {
      this.#cancelWait?.();
      this.#cancelWait = null;
    }
    this.#become('following');
  }

  #forget(): void {
    this.#cancelAnswer?.();
    this.#cancelWait?.();
    this.#cancelAnswer = null;
    this.#cancelWait = null;
    this.#owed = null;
  }

  #say(kind: Word['kind']): void {
    this.#around.channel.send({ kind, from: this.#around.id });
  }

  #become(role: Role): void {
    if (role === this.#role) return;
    this.#role = role;
    this.#around.onRole(role);
  }
}

const KINDS: ReadonlySet<unknown> = new Set(['ask', 'mine', 'free', 'played']);

function isWord(data: unknown): data is Word {
  return (
    typeof data === 'object' &&
    data !== null &&
    'kind' in data &&
    KINDS.has(data.kind) &&
    'from' in data &&
    typeof data.from === 'string'
  );
}
