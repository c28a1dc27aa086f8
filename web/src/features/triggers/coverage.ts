import type { CoverageRow } from '@/api/generated/types.gen';

/** Shares below it are said: less of the time was not known. */
const ALL = 0.999;

/** Was there data of every point all the time, of some, or of none? 'all' for a rule that looks at no point. */
export function dataOf(coverage: readonly CoverageRow[]): 'all' | 'some' | 'none' {
  if (coverage.length > 0 && coverage.every(({ covered }) => covered === 0)) return 'none';
  return coverage.every(({ covered }) => covered >= ALL) ? 'all' : 'some';
}
