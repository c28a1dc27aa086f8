/** A short interruption is not worth a word. */
export const PATIENCE_MS = 1_500;
/** While values are polled for want of a live connection, an answer of the cloud speaks for them this long. */
export const ANSWER_HOLDS_MS = 12_000;

let heardAtMs = 0;

/** The cloud has answered a request at this time, UTC ms. */
export function noteAnswer(atMs: number): void {
  heardAtMs = Math.max(heardAtMs, atMs);
}

export function lastAnswerMs(): number {
  return heardAtMs;
}

/**
 * Is what is on the screen no longer told by anyone? So when the live connection was lost, and the cloud has not
 * answered a poll since, or not for long.
 */
export function isCut(lostAtMs: number | null, answeredAtMs: number, nowMs: number): boolean {
  if (lostAtMs === null || nowMs - lostAtMs <= PATIENCE_MS) return false;
  return answeredAtMs <= lostAtMs || nowMs - answeredAtMs > ANSWER_HOLDS_MS;
}
