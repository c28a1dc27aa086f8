/** The first of a burst waits this long for its fellows. */
export const GATHER_MS = 300;
/** However many ask, the work is done this seldom. */
export const APART_MS = 2_000;

interface Surroundings {
  now: () => number;
  /** Returns the function that cancels. */
  after: (ms: number, work: () => void) => () => void;
  isHidden: () => boolean;
}

/**
 * Work that many may ask for at once: done soon, seldom, and never for a page that nobody looks at. What was asked for
 * meanwhile is done once when shown() says that the page is looked at again.
 */
export class Gathered {
  readonly #around: Surroundings;
  readonly #work: () => void;
  #doneAtMs = -Infinity;
  #cancel: (() => void) | null = null;
  #owed = false;

  constructor(work: () => void, around: Surroundings) {
    this.#work = work;
    this.#around = around;
  }

  readonly ask = (): void => {
    if (this.#around.isHidden()) {
      this.#owed = true;
      return;
    }
    if (this.#cancel !== null) return;
    const wait = Math.max(GATHER_MS, this.#doneAtMs + APART_MS - this.#around.now());
    this.#cancel = this.#around.after(wait, () => this.#due());
  };

  readonly onVisible = (): void => {
    if (!this.#owed || this.#around.isHidden()) return;
    this.#owed = false;
    this.ask();
  };

  readonly stop = (): void => {
    this.#cancel?.();
    this.#cancel = null;
    this.#owed = false;
  };

  #due(): void {
    this.#cancel = null;
    if (this.#around.isHidden()) {
      this.#owed = true;
      return;
    }
    this.#doneAtMs = this.#around.now();
    this.#work();
  }
}
