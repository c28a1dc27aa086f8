import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { AlarmRow, DataSource, DeviceDetail, Location, Positions } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { Place, PlaceStatus } from '@/blocks/map/model';
import type { AlarmLevel } from '@/lib/alarmTypes';
import type { LastValue } from '@/lib/quality';

export type { AlarmRow, DataSource, DeviceDetail, Location };

/** Changes are pushed for what is watched only; a map shows thousands. */
const PLACES_REFETCH_MS = 30_000;
export const POSITIONS = ['device', 'positions'] as const;
export const LOCATIONS = ['device', 'location'] as const;

export interface PlaceFilter {
  search?: string | undefined;
  status?: string | undefined;
  project_id?: number | undefined;
  product_id?: number | undefined;
  gis?: boolean;
}

export interface Places {
  places: readonly Place[];
  total: number;
  placeless: number;
}

/** Columns as the cloud sends them, as places. */
export function placesOf({ id, lng, lat, status, title, total, placeless }: Positions): Places {
  const places = id.map((one, index) => ({
    id: one,
    longitude: lng[index] as number,
    latitude: lat[index] as number,
    status: Number(status[index]) as PlaceStatus,
    title: title[index] as string,
  }));
  return { places, total, placeless };
}

export function placesQuery(filter: PlaceFilter) {
  return queryOptions({
    queryKey: [...POSITIONS, filter],
    queryFn: async ({ signal }): Promise<Places> =>
      placesOf(
        await call(
          sdk.listPositions({
            query: { ...filter, search: filter.search || undefined, status: filter.status || undefined },
            signal,
          }),
        ),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: PLACES_REFETCH_MS,
  });
}

export function deviceQuery(id: number) {
  return queryOptions({
    queryKey: ['device', id],
    queryFn: ({ signal }): Promise<DeviceDetail> => call(sdk.getDevice({ path: { device_id: id }, signal })),
    refetchInterval: PLACES_REFETCH_MS,
  });
}

export function sourcesQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['sources', deviceId],
    queryFn: async ({ signal }): Promise<readonly DataSource[]> =>
      (await call(sdk.listDataSources({ query: { device_id: deviceId }, signal }))).rows,
    staleTime: 60_000,
  });
}

export function lastValuesQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['lastdps', deviceId],
    queryFn: async ({ signal }): Promise<readonly (LastValue & { dsid: number })[]> =>
      (await call(sdk.getLastValues({ query: { device_id: deviceId }, signal }))).rows,
  });
}

export interface LocationFilter {
  page: number;
  limit: number;
  search?: string;
  status?: string;
  placed?: boolean;
}

export async function loadLocations(
  query: LocationFilter,
  signal: AbortSignal,
): Promise<{ rows: readonly Location[]; total: number }> {
  return call(sdk.listLocations({ query, signal }));
}

export interface PositionChange {
  longitude?: number | null;
  latitude?: number | null;
  auto?: boolean;
}

export function putPosition(deviceId: number, body: PositionChange): Promise<Location> {
  return call(sdk.putPosition({ path: { device_id: deviceId }, body }));
}

export function newestAlarmsQuery(limit: number) {
  return queryOptions({
    queryKey: ['event', 'alarmlog', 'gis', limit],
    queryFn: ({ signal }) => call(sdk.listAlarms({ query: { page: 1, limit, status: 0 }, signal })),
    refetchInterval: PLACES_REFETCH_MS,
  });
}

/** The platform's own alarm levels. */
export const levelsQuery = queryOptions({
  queryKey: ['option', 'alarm_levels'],
  queryFn: async ({ signal }): Promise<readonly AlarmLevel[]> => {
    const option = await call(sdk.getOption({ query: { name: 'alarm_levels' }, signal }));
    return option.name === 'alarm_levels' ? (option.value ?? []) : [];
  },
  staleTime: 300_000,
});
