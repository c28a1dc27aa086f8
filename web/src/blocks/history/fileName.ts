import { formatDateTime } from '@/lib/time';
import type { Span } from '@/lib/time';
import type { DeviceSource } from './useSources';

const NAMED = 3;
/** What file systems refuse. */
const REFUSED = /[\\/:*?"<>|]/g;

/** 'Mill Pressure, Speed 2026-11-27 04-00-00 to 2026-11-27 05-00-00', of at most so many points by name. */
export function fileNameOf(chosen: readonly DeviceSource[], { start_ms, end_ms }: Span): string {
  const titles = chosen.slice(0, NAMED).map(({ ds_title }) => ds_title);
  const more = chosen.length > NAMED ? ` +${chosen.length - NAMED}` : '';
  const device = chosen[0]?.deviceTitle ?? '';
  const name = `${device} ${titles.join(', ')}${more} ${formatDateTime(start_ms)} to ${formatDateTime(end_ms)}`;
  return name.trim().replaceAll(REFUSED, '-');
}
