/** Offered after this much scrolling, px. */
export const AFTER_PX = 300;
/** The way up takes this long. */
export const DURATION_MS = 800;

/** Position on the way from a place to the top, eased at both ends. */
export function position(from: number, elapsedMs: number): number {
  const part = Math.min(1, Math.max(0, elapsedMs / DURATION_MS));
  const eased = part < 0.5 ? 4 * part ** 3 : 1 - (2 - 2 * part) ** 3 / 2;
  return from * (1 - eased);
}

/** Scroll to the top; at once for who wants no motion. The wheel and the keys take over. */
export function scrollToTop(): void {
  const from = window.scrollY;
  if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) {
    window.scrollTo(0, 0);
    return;
  }
  const stop = new AbortController();
  for (const event of ['wheel', 'touchstart', 'keydown']) {
    window.addEventListener(event, () => stop.abort(), { passive: true, signal: stop.signal });
  }
  const start = performance.now();
  const step = (now: number): void => {
    if (stop.signal.aborted) return;
    window.scrollTo(0, position(from, now - start));
    if (now - start < DURATION_MS) requestAnimationFrame(step);
    else stop.abort();
  };
  requestAnimationFrame(step);
}
