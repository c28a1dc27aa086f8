/** Time under a test's hand. */
export class Clock {
  now = 1_000_000;
  #timers: { at: number; work: () => void }[] = [];

  readonly after = (ms: number, work: () => void): (() => void) => {
    const timer = { at: this.now + ms, work };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((one) => one !== timer));
  };

  pass(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((one) => one !== due);
      this.now = due.at;
      due.work();
    }
    this.now = until;
  }
}
