let offsetMs = 0;

/** Learn the cloud's time from a heartbeat's answer or a reply's Date header; the browser's clock may be wrong. */
export function observeServerTime(serverMs: number, localMs: number = Date.now()): void {
  const seen = serverMs - localMs;
  // Date headers have whole seconds: a small difference is no news.
  if (Math.abs(seen - offsetMs) > 1500) offsetMs = seen;
}

/** Now on the cloud's clock, UTC milliseconds. */
export function serverNow(): number {
  return Date.now() + offsetMs;
}
