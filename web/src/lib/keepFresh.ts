/** A wall screen that nobody touches makes no calls that would refresh its session: it is refreshed this long before its end. */
export const BEFORE_END_MS = 10 * 60_000;
/** After a refresh that failed; failures are not told. */
export const RETRY_MS = 60_000;

interface Deps {
  /** When the token ends, UTC ms on this clock; null without a session. */
  endsAtMs: () => number | null;
  /** Refresh if the token ends within this time; never throws. */
  refresh: (withinMs: number) => Promise<unknown>;
  now: () => number;
  /** Run later; returns what cancels it. */
  after: (ms: number, work: () => void) => () => void;
}

/** Wait until the refresh: from the token's end, and never in a tight loop. */
export function waitMs(endsAtMs: number, nowMs: number): number {
  return Math.max(endsAtMs - BEFORE_END_MS - nowMs, 0);
}

/** Refresh ahead of the end, again and again. Returns the stop function. */
export function keepFresh({ endsAtMs, refresh, now, after }: Deps): () => void {
  let stopped = false;
  let cancel: () => void = () => undefined;
  const plan = (min: number): void => {
    const end = endsAtMs();
    if (stopped || end === null) return;
    cancel = after(Math.max(waitMs(end, now()), min), () => void run());
  };
  const run = async (): Promise<void> => {
    await refresh(BEFORE_END_MS + RETRY_MS);
    plan(RETRY_MS);
  };
  plan(0);
  return () => {
    stopped = true;
    cancel();
  };
}
