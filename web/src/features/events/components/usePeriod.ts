import { useCallback } from 'react';
import { serverNow } from '@/lib/serverClock';
import { useTab } from '@/lib/tab';
import { periodAt } from '../period';
import type { Period } from '../period';

/** The period of a page's address, as of the moment that it is called. */
export function usePeriod(): () => Period {
  const { start, end, range } = useTab().search;
  return useCallback(
    () => periodAt({ start: start ?? '', end: end ?? '', range: range ?? '' }, 'past7Days', serverNow()),
    [start, end, range],
  );
}
