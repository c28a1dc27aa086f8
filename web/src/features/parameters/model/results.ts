import type { Tone } from '@/lib/quality';

const WELL: ReadonlySet<string> = new Set(['confirmed', 'unchanged']);
const OPEN: ReadonlySet<string> = new Set(['created', 'sent', 'received', 'staged', 'switched']);
const FAILED: ReadonlySet<string> = new Set(['refused', 'reverted', 'expired', 'networkError', 'cancelled']);

/** Is a gateway still at it? */
export const isOpen = (state: string): boolean => OPEN.has(state);

/** Did it not become what was wanted? Then it may be tried again. */
export const hasFailed = (state: string, code: string): boolean => FAILED.has(state) || (state === '' && code !== '');

/** state: of a deployment; '' where there was none: refused with a code, or nothing to do. */
export function toneOfState(state: string, code: string): Tone {
  if (hasFailed(state, code)) return 'bad';
  if (isOpen(state)) return 'off';
  return WELL.has(state) || state === '' ? 'ok' : 'off';
}
