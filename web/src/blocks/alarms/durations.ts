/** Seconds for which an alarm can be kept quiet at one click; 'other' is until a time. */
export const DURATIONS = ['600', '3600', '28800', 'other'] as const;
export const OTHER = 'other';

export type Kind = 'shelved' | 'out_of_service' | 'maintenance';

const DAY_S = 86_400;
export const MIN_S = 60;
/** By the cloud. */
export const MAX_S: Readonly<Record<Kind, number>> = {
  shelved: 7 * DAY_S,
  out_of_service: 31 * DAY_S,
  maintenance: 31 * DAY_S,
};

/** Seconds from now (UTC ms) on; until: local time as an input of type datetime-local has it. Null for none. */
export function secondsOf(duration: string, until: string, now: number): number | null {
  if (duration !== OTHER) return Number(duration);
  const end = Date.parse(until);
  return Number.isNaN(end) ? null : Math.round((end - now) / 1000);
}

/** Why these seconds cannot be asked for; null when they can. */
export function durationFault(seconds: number | null, kind: Kind): 'missing' | 'short' | 'long' | null {
  if (seconds === null) return 'missing';
  if (seconds < MIN_S) return 'short';
  return seconds > MAX_S[kind] ? 'long' : null;
}
