/** What is typed and not saved yet, by the opened page that holds it, so that nothing closes a page without a question. */

export interface Unsaved {
  /** Of the opened page; '' for what belongs to none. */
  tab: string;
  /** Stays in the memory of the browser when its page is closed; lost when the portal is left. */
  persisted: boolean;
}

interface Entry extends Unsaved {
  /** Its page is behind another one: its effects are asleep, its state is not. */
  asleep: boolean;
}

/** Ask whether changes of pages with these titles may be lost, '' for one without a title; no titles: everything, with the portal. */
export type Asker = (titles: readonly string[]) => Promise<boolean>;

export class UnsavedWork {
  readonly #entries = new Map<symbol, Entry>();
  readonly #drafts: (() => boolean)[] = [];
  #active = '';
  #asker: Asker | null = null;
  #isLeaving = false;

  /** The page in front is another one from now on. */
  setActive(tab: string): void {
    this.#active = tab;
  }

  note(key: symbol, one: Unsaved): void {
    this.#entries.set(key, { ...one, asleep: false });
  }

  drop(key: symbol): void {
    this.#entries.delete(key);
  }

  /** Its effects ended: its page went behind another one, or it is no more. */
  ended(key: symbol): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (entry.tab === '' || entry.tab === this.#active) this.#entries.delete(key);
    else entry.asleep = true;
  }

  /** A page came to the front and its forms have told themselves anew: those that did not are gone. */
  settle(tab: string): void {
    for (const [key, entry] of this.#entries) if (entry.tab === tab && entry.asleep) this.#entries.delete(key);
  }

  forget(tab: string): void {
    for (const [key, entry] of this.#entries) if (entry.tab === tab) this.#entries.delete(key);
  }

  /** Drafts that are held outside of pages: is there one that is not saved? */
  addDrafts(has: () => boolean): void {
    this.#drafts.push(has);
  }

  /** Would closing this page, or another address of it, lose something? */
  losesWith(tab: string): boolean {
    return this.#some((entry) => entry.tab === tab && !entry.persisted);
  }

  /** Does this page show a draft that stays in memory when it is closed? */
  keepsOf(tab: string): boolean {
    return this.#some((entry) => entry.tab === tab && entry.persisted);
  }

  /** Pages that would lose something, were they closed. */
  pages(): string[] {
    return [...new Set([...this.#entries.values()].filter(({ persisted }) => !persisted).map(({ tab }) => tab))];
  }

  /** Would leaving the portal lose something? */
  isAny(): boolean {
    return !this.#isLeaving && (this.#entries.size > 0 || this.#drafts.some((has) => has()));
  }

  /** The user has agreed that the portal is left: nothing asks again. */
  leave(): void {
    this.#isLeaving = true;
  }

  /** Whoever draws the question. Returns the function that ends it. */
  setAsker(asker: Asker): () => void {
    this.#asker = asker;
    return () => {
      if (this.#asker === asker) this.#asker = null;
    };
  }

  /** Without anybody to draw the question nothing is lost. */
  ask(titles: readonly string[]): Promise<boolean> {
    return this.#asker?.(titles) ?? Promise.resolve(false);
  }

  #some(wanted: (entry: Entry) => boolean): boolean {
    return [...this.#entries.values()].some(wanted);
  }
}

export const unsaved = new UnsavedWork();

/** The browser asks before it leaves the page, in its own words. */
export function askBeforeUnload(): void {
  window.addEventListener('beforeunload', (event) => {
    if (unsaved.isAny()) event.preventDefault();
  });
}
