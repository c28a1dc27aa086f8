let offsetMs = 0;

/** A Date header has whole seconds, and a server under load renews it late. */
const DATE_LAG_MS = 3000;

/**
 * The server's clock read serverMs, or up to lagMs more, at some moment between sentMs and receivedMs of this clock. Only what
 * contradicts the difference that is believed changes it: a reply that came late says nothing, and must not let time stand still.
 */
export function observeServerTime(serverMs: number, sentMs: number, receivedMs: number, lagMs: number): void {
  offsetMs = Math.max(serverMs - receivedMs, Math.min(serverMs + lagMs - sentMs, offsetMs));
}

/** Learn the cloud's time from a reply's Date header; the browser's clock may be wrong. */
export function observeDate(header: string | null, sentMs: number, receivedMs: number): void {
  const serverMs = Date.parse(header ?? '');
  if (!Number.isNaN(serverMs)) observeServerTime(serverMs, sentMs, receivedMs, DATE_LAG_MS);
}

/** Now on the cloud's clock, UTC milliseconds. */
export function serverNow(): number {
  return Date.now() + offsetMs;
}
