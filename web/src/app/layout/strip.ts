/** The wheel moves the strip by this part of its own step. */
export const WHEEL_PART = 0.25;
/** Kept free beside a tab that is moved into view, px. */
export const MARGIN_PX = 4;

export interface Span {
  left: number;
  width: number;
}

/** Where the wheel moves the strip to. */
export function wheeled(scrollLeft: number, deltaY: number): number {
  return scrollLeft + deltaY * WHEEL_PART;
}

/**
 * Scroll position at which the active tab can be seen: the first snaps to the start, the last to the end, others bring
 * their neighbours along. px; width: of the visible strip, total: of all its tabs.
 */
export function inView(
  tabs: readonly Span[],
  active: number,
  scrollLeft: number,
  width: number,
  total: number,
): number {
  if (active <= 0) return active < 0 ? scrollLeft : 0;
  if (active === tabs.length - 1) return Math.max(0, total - width);
  const before = tabs[active - 1] as Span;
  const after = tabs[active + 1] as Span;
  const end = after.left + after.width + MARGIN_PX;
  const start = before.left - MARGIN_PX;
  if (end > scrollLeft + width) return end - width;
  return start < scrollLeft ? Math.max(0, start) : scrollLeft;
}
