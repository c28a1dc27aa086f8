import { positionOf } from '@/blocks/map/model';
import type { MapPosition } from '@/blocks/map/model';

/** Own positions on their way to the address. */
const MAX_WRITTEN = 20;

/** What a map knows of the position in its address: the address follows the map a moment later. */
export interface Followed {
  /** Last seen in the address. */
  known: string | undefined;
  /** Written by the map itself, the newest last. */
  written: readonly (string | undefined)[];
}

export function followed(at: string | undefined): Followed {
  return { known: at, written: [at] };
}

/** The map came to rest there. */
export function wrote(before: Followed, at: string): Followed {
  return { ...before, written: [...before.written, at].slice(-MAX_WRITTEN) };
}

/**
 * Another position stands in the address. goTo: where the map is to go, because the map has not written it itself: a link
 * was followed while the page was open. Null when nothing has changed.
 */
export function arrived(
  { known, written }: Followed,
  at: string | undefined,
): { next: Followed; goTo: MapPosition | null } | null {
  if (at === known) return null;
  const goTo = written.includes(at) ? null : positionOf(at);
  // The last one has arrived: nothing is on its way any more.
  if (at === written.at(-1)) return { next: followed(at), goTo };
  return { next: { known: at, written: goTo === null ? written : [...written, at] }, goTo };
}

/** Id of a device, project or product in an address. */
export function idOf(text: string | undefined): number | null {
  return /^[1-9]\d{0,9}$/.test(text ?? '') ? Number(text) : null;
}
