import type { LastValue } from '@/lib/quality';

/** Record mode of a point whose value is sent when it changes. */
export const ON_CHANGE = 2;

/**
 * What is told of a value's age. Of a point that is recorded on change since when it has its value, when that is known: the same
 * value recorded again after a restart is no change. key: of the words around the age, null for none.
 */
export function ageParts(
  { t_ms, changed_ms }: LastValue,
  now: number,
  record: number,
): { key: string | null; ms: number } {
  if (record !== ON_CHANGE) return { key: null, ms: now - t_ms };
  if (typeof changed_ms === 'number') return { key: 'base:ago.lastChange', ms: now - changed_ms };
  return { key: 'base:ago.lastRecord', ms: now - t_ms };
}
