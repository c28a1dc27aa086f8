/** User types of the platform, 0 platform to 6 registered at a computer. */
export const USER_TYPES = [0, 1, 2, 3, 4, 5, 6] as const;
/** The least password that the cloud takes; the specification's hint of 6 is below what is safe today. */
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 200;
export const PUNCTUATION = '!@#$%^&*';

const NAME = /^[A-Za-z0-9_.\u4e00-\u9fff-]{1,63}[A-Za-z0-9\u4e00-\u9fff]$/;
const FITTING = /^[A-Za-z0-9!@#$%^&*]+$/;
const PHONE = /^[0-9+() -]{0,40}$/;
const EMAIL = /^[^@\s]+@[^@\s]+$/;

/** Types that a user of this type may give: only greater ones, and greater than that of whoever stands above. */
export function typesBelow(own: number, above = own): number[] {
  return USER_TYPES.filter((type) => type > Math.max(own, above));
}

export function isUserName(name: string): boolean {
  return NAME.test(name);
}

export function isPhone(text: string): boolean {
  return PHONE.test(text);
}

export function isEmail(text: string): boolean {
  return text === '' || (EMAIL.test(text) && text.length <= 200);
}

/** The first rule that a new password breaks; null for none. It is checked here, for the cloud sees only its transform. */
export function passwordFault(password: string): 'short' | 'long' | 'letters' | null {
  if (password.length < PASSWORD_MIN) return 'short';
  if (password.length > PASSWORD_MAX) return 'long';
  return FITTING.test(password) ? null : 'letters';
}

export type Strength = 'weak' | 'fair' | 'good' | 'strong';

const KINDS: readonly (readonly [RegExp, number])[] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[0-9]/, 10],
  [/[^A-Za-z0-9]/, PUNCTUATION.length],
];
const RUN = /(.)\1{2,}|(?:012|123|234|345|456|567|678|789|abc|qwe|password|admin|888|666)/gi;
const RUN_COUNTS = 1;
const BITS: readonly (readonly [number, Strength])[] = [
  [75, 'strong'],
  [55, 'good'],
  [40, 'fair'],
];

/**
 * How hard a password is to guess, as a hint: bits of its characters, where runs and common parts count as one. A part of
 * the user's name makes it weak.
 */
export function strengthOf(password: string, userName = ''): Strength {
  if (passwordFault(password) !== null) return 'weak';
  if (userName.length >= 3 && password.toLowerCase().includes(userName.toLowerCase())) return 'weak';
  const pool = KINDS.reduce((sum, [kind, size]) => sum + (kind.test(password) ? size : 0), 0);
  const runs = password.match(RUN) ?? [];
  const counted = password.length - runs.reduce((sum, run) => sum + run.length - RUN_COUNTS, 0);
  const distinct = new Set(password).size;
  const bits = Math.min(counted, distinct * 2) * Math.log2(Math.max(pool, 2));
  return BITS.find(([min]) => bits >= min)?.[1] ?? 'weak';
}

/** 'YYYY-MM-DD' of a moment in this browser's calendar; null for none. */
export function dayOf(ms: number | null): string | null {
  if (ms === null || ms <= 0) return null;
  const day = new Date(ms);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${pad(day.getMonth() + 1)}-${pad(day.getDate())}`;
}

/** The beginning of a day 'YYYY-MM-DD' in this browser's calendar, UTC milliseconds; null for none. */
export function beginOf(day: string | null): number | null {
  if (day === null || day === '') return null;
  const ms = new Date(`${day.slice(0, 10)}T00:00:00`).getTime();
  return Number.isNaN(ms) ? null : ms;
}

/** The fields of a draft that differ from what is kept: an absent field stays as it is. */
export function changed<T extends object>(draft: T, saved: T): Partial<T> {
  const fields = Object.entries(draft).filter(([name, value]) => value !== saved[name as keyof T]);
  return Object.fromEntries(fields) as Partial<T>;
}
