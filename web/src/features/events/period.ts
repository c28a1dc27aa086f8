import { spanOf } from '@/components/useRange';
import type { SearchValues } from '@/lib/screens';
import { QUICK_RANGES, quickSpan } from '@/lib/time';
import type { QuickRange } from '@/lib/time';

export interface Period {
  starttime: number;
  /** None while the period lasts: what happens now belongs to it. */
  endtime?: number;
}

/** The period that an address asks for, as of now: a quick range goes on while its page is open. UTC ms. */
export function periodAt(search: SearchValues, fallback: QuickRange, now: number): Period {
  const custom = spanOf(search.start, search.end);
  if (custom !== null) return { starttime: custom.start_ms, endtime: custom.end_ms };
  const quick = QUICK_RANGES.find((range) => range === search.range) ?? fallback;
  const { start_ms, end_ms } = quickSpan(quick, now);
  return end_ms === now ? { starttime: start_ms } : { starttime: start_ms, endtime: end_ms };
}
