import { queryOptions, keepPreviousData } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { MonitorPoint, MonitorPoints } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import { filterQuery, monitorFilters } from '@/blocks/monitor/monitorFilters';
import type { BoardPoint } from '@/blocks/live/board';
import { formatValue } from '@/lib/numbers';
import type { SwitchWords } from '@/lib/numbers';
import type { LastValue } from '@/lib/quality';
import type { SearchValues } from '@/lib/screens';

export type { MonitorPoint };

/** What the address of the list monitor holds; a view keeps these. */
export const CHOICES = ['project', 'product', 'status', 'device', 'search', 'points', 'view'] as const;
/** Values are pushed; this only heals what a push may have missed, and brings new points. */
const REFETCH_MS = 60_000;
const PROJECTS_STALE_MS = 60_000;

export interface Chosen {
  project_id: number | undefined;
  product_id: number | undefined;
  device_id: number | undefined;
  search: string | undefined;
  status: string | undefined;
  /** Numbers of points, as the address has them. */
  dsids: string | undefined;
}

const NUMBER = /^\d{1,9}$/;
const NUMBERS = /^\d{1,10}(,\d{1,10})*$/;

/** What an address asks for; what is not valid is not asked. */
export function chosenOf(search: SearchValues): Chosen {
  const number = (text: string | undefined): number | undefined =>
    text !== undefined && NUMBER.test(text) ? Number(text) : undefined;
  const { points } = search;
  return {
    ...filterQuery(monitorFilters(search)),
    device_id: number(search.device) || undefined,
    dsids: points !== undefined && NUMBERS.test(points) ? points : undefined,
  };
}

export function isChosen(chosen: Chosen): boolean {
  return Object.values(chosen).some((value) => value !== undefined);
}

export function monitorPointsQuery(chosen: Chosen, live: boolean, pollMs: number) {
  return queryOptions({
    queryKey: ['monitorPoints', chosen],
    queryFn: ({ signal }) => call(sdk.listMonitorPoints({ query: chosen, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: live ? REFETCH_MS : pollMs,
  });
}

/** Newest values of points that came into view. */
export async function newestOf(dsids: readonly number[]): Promise<MonitorPoints['last']> {
  return (await call(sdk.listMonitorPoints({ query: { dsids: dsids.join(',') } }))).last;
}

export const projectsQuery = queryOptions({
  queryKey: ['project'],
  queryFn: ({ signal }) => call(sdk.listProjects({ signal })),
  staleTime: PROJECTS_STALE_MS,
});

/** A point as a board writes it. */
export function boardPoint(point: MonitorPoint, words: SwitchWords): BoardPoint {
  return {
    dsid: point.dsid,
    device_id: point.device_id,
    period_ms: point.period_ms,
    record: point.record,
    min: point.min,
    max: point.max,
    format: (value) => formatValue(value, point, words),
  };
}

export function lastOf({ last }: MonitorPoints): (LastValue & { dsid: number })[] {
  return last.map(({ dsid, t_ms, value, quality, changed_ms = null }) => ({
    dsid,
    t_ms,
    value: value ?? null,
    quality,
    changed_ms,
  }));
}
