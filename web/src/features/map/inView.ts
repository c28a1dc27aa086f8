import { badness, isWithin } from '@/blocks/map/model';
import type { Bounds, Place, PlaceStatus } from '@/blocks/map/model';

/** Places of the part in view, the worst first, then by title. Without bounds all. */
export function inView(places: readonly Place[], bounds: Bounds | null, language: string): Place[] {
  const collator = new Intl.Collator(language, { numeric: true });
  return places
    .filter((place) => bounds === null || isWithin(bounds, place))
    .sort((a, b) => badness(b.status) - badness(a.status) || collator.compare(a.title, b.title) || a.id - b.id);
}

export type Counts = Readonly<Record<PlaceStatus, number>>;

export function countsOf(places: readonly Place[]): Counts {
  const counts = { 0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 };
  for (const { status } of places) counts[status] += 1;
  return counts;
}
