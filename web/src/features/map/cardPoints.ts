import type { DataSource } from './api';

/** Shown of a device of which nobody chose points. */
const MAX_VALUES = 6;

/** Points on the card of a device: those chosen with "show in GIS", or the first few without a choice; never without a value to read. */
export function pointsOnMap(sources: readonly DataSource[]): readonly DataSource[] {
  const readable = sources.filter(({ rw }) => rw !== 'writeonly');
  const chosen = readable.filter(({ gis_show }) => gis_show === true);
  return chosen.length > 0 ? chosen : readable.slice(0, MAX_VALUES);
}
