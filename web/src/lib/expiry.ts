/** From so many days before it on, an expiry is told ahead. */
export const EXPIRY_AHEAD_DAYS = 60;

export type Expiry = { kind: 'never' } | { kind: 'expired' } | { kind: 'soon'; days: number } | { kind: 'later' };

function dayOf(ms: number): number {
  const day = new Date(ms);
  return Date.UTC(day.getFullYear(), day.getMonth(), day.getDate());
}

/** How far an expiry is, in days of the browser's calendar: what is due today has expired. */
export function expiryOf(due_ms: number | null, now: number, aheadDays = EXPIRY_AHEAD_DAYS): Expiry {
  if (due_ms === null || due_ms <= 0) return { kind: 'never' };
  const days = Math.round((dayOf(due_ms) - dayOf(now)) / 86_400_000);
  if (days <= 0) return { kind: 'expired' };
  return days <= aheadDays ? { kind: 'soon', days } : { kind: 'later' };
}
