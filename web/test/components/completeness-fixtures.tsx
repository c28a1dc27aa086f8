import { screen } from '@testing-library/react';
import type {
  Collected,
  Collection,
  CollectionGap,
  Completeness,
  CompletenessBucket,
  GapEntry,
  GetCollectionData,
  GetCollectionResponse,
  GetCompletenessData,
  GetCompletenessResponse,
  ListCollectionGapsData,
  ListCollectionGapsResponse,
  ListGapsData,
  ListGapsResponse,
  OnOfflineEntry,
  SlaveCollection,
} from '@/api/generated/types.gen';
import CompletenessTab from '@/features/completeness/screens/CompletenessTab';
import { answer } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** Midnight and noon of this browser's day. */
export const START = new Date(2026, 9, 20).getTime();
export const NOON = START + 12 * HOUR;
export const END = START + 4 * HOUR;
export const AT = `/?device_id=7&start=${START}&end=${END}`;
export const MAY = ['Monitor.DeviceMonitor', 'DeviceMonitor_Online', 'HisData'];
export const DETAILS = '/api/v1/device/{device_id}/completeness';
export const GAPS = '/api/v1/device/{device_id}/gaps';
export const COLLECTION = '/api/v1/device/{device_id}/collection';
export const COLLECTION_GAPS = '/api/v1/device/{device_id}/collection/gaps';

export function collected(changes: Partial<Collected> = {}): Collected {
  return {
    expected: 1_000,
    good: 1_000,
    missed: 0,
    percent: 100,
    reasons: {},
    not_reported_ms: 0,
    since_ms: null,
    no_figure: null,
    ...changes,
  };
}

export const UNKNOWN = collected({ expected: 0, good: 0, percent: null, since_ms: null, no_figure: 'never_reported' });

export const COUNTS = {
  received: 240,
  samples: 9_600,
  late: 0,
  late_samples: 0,
  duplicates: 0,
  missing: 0,
  reasons: {},
  percent: 100 as number | null,
  dropped_samples: 0,
};
export const NO_BATCH = { ...COUNTS, received: 0, samples: 0, percent: null };

export function bucket(hour: number, changes: Partial<CompletenessBucket> = {}): CompletenessBucket {
  return {
    ...COUNTS,
    received: 60,
    collection: collected({ expected: 250, good: 250 }),
    start_ms: START + hour * HOUR,
    end_ms: START + (hour + 1) * HOUR,
    ...changes,
  };
}

export function details(changes: Partial<Completeness> = {}): Completeness {
  return {
    ...COUNTS,
    collection: collected(),
    device_id: 7,
    from_ms: START,
    to_ms: END,
    buckets: [bucket(0), bucket(1), bucket(2), bucket(3)],
    outages: [],
    outages_total: 0,
    ...changes,
  };
}

export function collection(changes: Partial<Collection> = {}): Collection {
  return {
    device_id: 7,
    from_ms: START,
    to_ms: END,
    collection: collected(),
    slaves: [],
    points: [],
    gaps: [],
    gaps_total: 0,
    ...changes,
  };
}

export const slave = (
  name: string,
  changes: Partial<Collected> = {},
  title: string | null = null,
): SlaveCollection => ({
  slave: name,
  title,
  collection: collected(changes),
});

export function away(changes: Partial<OnOfflineEntry> = {}): OnOfflineEntry {
  return {
    id: 1,
    device_id: 7,
    slave: null,
    slave_title: null,
    offline_ms: START + HOUR,
    online_ms: START + 2 * HOUR,
    duration_ms: HOUR,
    reason: 'link_lost',
    ...changes,
  };
}

interface Served {
  details: Call[];
  gaps: Call[];
  collection: Call[];
  missed: Call[];
}

export let served: Served;

export function serve(of: {
  details?: Partial<Completeness>;
  gaps?: readonly GapEntry[];
  collection?: Partial<Collection>;
  missed?: readonly CollectionGap[];
}): void {
  const { gaps = [], missed: lost = [] } = of;
  served = {
    details: answer<GetCompletenessData, GetCompletenessResponse>('get', DETAILS, details(of.details)),
    gaps: answer<ListGapsData, ListGapsResponse>('get', GAPS, { rows: [...gaps], total: gaps.length }),
    collection: answer<GetCollectionData, GetCollectionResponse>('get', COLLECTION, collection(of.collection)),
    missed: answer<ListCollectionGapsData, ListCollectionGapsResponse>('get', COLLECTION_GAPS, {
      rows: [...lost],
      total: lost.length,
    }),
  };
}

export async function tab(at = AT, permissions: readonly string[] = MAY): Promise<Rendered> {
  const page = await show(<CompletenessTab />, { permissions, at });
  await screen.findByTestId('collection');
  return page;
}

export const figure = (name: 'collection' | 'completeness'): HTMLElement => screen.getByTestId(`${name}-percent`);
export const strip = (): HTMLElement => screen.getByTestId('strip');
export const marks = (): (string | null)[] =>
  [...strip().querySelectorAll('[data-chosen]')].map((cell) => cell.getAttribute('data-mark'));
export const bandRow = (name: string): HTMLElement =>
  screen.getAllByTestId('collection-row').find(({ dataset }) => dataset.slave === name) as HTMLElement;
