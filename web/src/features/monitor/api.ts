import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { CommandStatus, DataSource, DeviceDetail, DeviceRow, Series } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { PointValue } from '@/lib/quality';

export type { CommandStatus, DataSource, DeviceDetail, DeviceRow, Series };

/** Device status is pushed; this only heals what a push may have missed. */
const DEVICE_REFETCH_MS = 30_000;
/** Values are polled this often while there is no live connection. */
export const POLL_WITHOUT_LINK_MS = 5_000;
/** First look at a command's state after sending, by specification; the same pause afterwards. */
export const COMMAND_POLL_MS = 2_000;
/** Most buckets of a history query for one series: about one per pixel. */
export const HISTORY_POINTS = 1200;

export interface DeviceFilter {
  page: number;
  limit: number;
  search: string;
  status: string;
}

export function devicesQuery({ page, limit, search, status }: DeviceFilter) {
  return queryOptions({
    queryKey: ['devices', page, limit, search, status],
    queryFn: ({ signal }) =>
      call(sdk.listDevices({ query: { page, limit, search: search || undefined, status: status || undefined } as never, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: DEVICE_REFETCH_MS,
  });
}

export function deviceQuery(id: number) {
  return queryOptions({
    queryKey: ['device', id],
    queryFn: ({ signal }) => call(sdk.getDevice({ path: { device_id: id }, signal })),
    refetchInterval: DEVICE_REFETCH_MS,
  });
}

export function sourcesQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['sources', deviceId],
    queryFn: async ({ signal }) => (await call(sdk.listDataSources({ query: { device_id: deviceId }, signal }))).rows,
    staleTime: 60_000,
  });
}

export function lastValuesQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['lastdps', deviceId],
    queryFn: async ({ signal }) => (await call(sdk.getLastValues({ query: { device_id: deviceId }, signal }))).rows,
  });
}

export function historyQuery(dsids: readonly number[], startMs: number, endMs: number, points = HISTORY_POINTS) {
  return queryOptions({
    queryKey: ['history', dsids, startMs, endMs, points],
    queryFn: ({ signal }) =>
      call(sdk.getHistory({ query: { dsids: dsids.join(','), start_ms: startMs, end_ms: endMs, points }, signal })),
    enabled: dsids.length > 0,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
}

export function commandsQuery(deviceId: number, page: number, limit: number) {
  return queryOptions({
    queryKey: ['commands', deviceId, page, limit],
    queryFn: ({ signal }) => call(sdk.listCommands({ query: { device_id: deviceId, page, limit }, signal })),
    placeholderData: keepPreviousData,
  });
}

export async function writePoint(dsid: number, value: PointValue): Promise<{ id: string; status: string }> {
  return call(sdk.sendCommand({ body: { dsid, action: 'W', value } }));
}

export async function commandStatus(id: string): Promise<CommandStatus> {
  return call(sdk.getCommandStatus({ query: { id } }));
}
