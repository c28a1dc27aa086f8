import { useMemo } from 'react';
import { keyOf } from '../model/registers';
import type { PointFacts } from '../model/registers';

/** Points as choices of a list. */
export function usePointOptions(points: readonly PointFacts[]): { value: string; label: string }[] {
  return useMemo(
    () =>
      points.map((point) => {
        const value = keyOf(point);
        return { value, label: point.title === '' ? value : `${point.title} (${value})` };
      }),
    [points],
  );
}
