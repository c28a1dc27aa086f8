import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  AccessPasswordState, CommandRef, CommandStatus, DataSource, DeviceBody, DeviceDetail, DeviceRow, OnOfflineEntry, Preset, PresetBody, Series, Write,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { PointValue } from '@/lib/quality';

export type {
  AccessPasswordState, CommandRef, CommandStatus, DataSource, DeviceBody, DeviceDetail, DeviceRow, OnOfflineEntry, Preset, PresetBody, Series, Write,
};

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

export function commandsQuery(deviceId: number, page: number, limit: number, batchId: string | undefined) {
  return queryOptions({
    queryKey: ['commands', deviceId, page, limit, batchId],
    queryFn: ({ signal }) =>
      call(sdk.listCommands({ query: { device_id: deviceId, page, limit, batch_id: batchId || undefined } as never, signal })),
    placeholderData: keepPreviousData,
  });
}

export async function writePoint(dsid: number, value: PointValue, password: string | null): Promise<CommandRef> {
  return call(sdk.sendCommand({ body: { dsid, action: 'W', value, password } }));
}

export async function writeBatch(batch: Write[], password: string | null): Promise<CommandRef> {
  return call(sdk.sendCommand({ body: { batch, password } }));
}

export async function runPreset(presetId: number, password: string | null): Promise<CommandRef> {
  return call(sdk.sendCommand({ body: { preset_id: presetId, password } }));
}

export async function commandStatus(id: string): Promise<CommandStatus> {
  const status = await call(sdk.getCommandStatus({ query: { id } as never }));
  if (!('id' in status)) throw new TypeError('cmdStatus?id= answers one command');
  return status;
}

/** Most rows of one page, by the cloud. */
const PAGE_ROWS = 100;

/** Every command of a batch. */
export async function batchCommands(deviceId: number, batchId: string, count: number): Promise<CommandStatus[]> {
  const pages = Array.from({ length: Math.ceil(count / PAGE_ROWS) }, (_, index) => index + 1);
  const answers = await Promise.all(
    pages.map((page) =>
      call(sdk.listCommands({ query: { device_id: deviceId, batch_id: batchId, page, limit: PAGE_ROWS } as never })),
    ),
  );
  return answers.flatMap(({ rows }) => rows);
}

const ACTIONS = {
  refresh: sdk.refreshDevice,
  forward: sdk.forwardDevice,
  reload: sdk.reloadDevice,
  reboot: sdk.rebootDevice,
  reallocate: sdk.reallocateDevice,
} as const;

/** What a gateway does as a whole; csq is waited for by the cloud. */
export type Action = keyof typeof ACTIONS | 'csq';

export async function act(action: Action, deviceId: number): Promise<Pick<CommandRef, 'id' | 'status'>> {
  const path = { device_id: deviceId };
  return action === 'csq' ? call(sdk.getSignalStrength({ path })) : call(ACTIONS[action]({ path }));
}

export function presetsQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['presets', deviceId],
    queryFn: async ({ signal }) => (await call(sdk.listPresets({ path: { device_id: deviceId }, signal }))).rows,
  });
}

/** Keep a new preset, or replace one. */
export async function savePreset(deviceId: number, presetId: number | null, body: PresetBody): Promise<Preset> {
  return presetId === null
    ? call(sdk.addPreset({ path: { device_id: deviceId }, body }))
    : call(sdk.changePreset({ path: { device_id: deviceId, preset_id: presetId }, body }));
}

export async function deletePreset(deviceId: number, presetId: number): Promise<void> {
  await call(sdk.deletePreset({ path: { device_id: deviceId, preset_id: presetId } }));
}

export function accessPasswordQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['accesspassword', deviceId],
    queryFn: ({ signal }) => call(sdk.getAccessPassword({ path: { device_id: deviceId }, signal })),
    staleTime: 30_000,
  });
}

export async function putAccessPassword(deviceId: number, password: string | null): Promise<void> {
  await call(sdk.putAccessPassword({ path: { device_id: deviceId }, body: { password } }));
}

export async function changeDevice(deviceId: number, body: DeviceBody): Promise<DeviceDetail> {
  return call(sdk.changeDevice({ path: { device_id: deviceId }, body }));
}

export interface LogFilter {
  from_ms: number;
  /** Undefined for a period without an end. */
  to_ms: number | undefined;
  slaves: boolean;
  at_least_ms: number;
  page: number;
  limit: number;
}

export function onOfflineQuery(deviceId: number, filter: LogFilter) {
  return queryOptions({
    queryKey: ['onofflinelog', deviceId, filter],
    queryFn: ({ signal }) => call(sdk.listOnOfflineLog({ query: { device_id: deviceId, ...filter }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: DEVICE_REFETCH_MS,
  });
}

export async function deleteOnOfflineEntry(id: number): Promise<void> {
  await call(sdk.deleteOnOfflineEntry({ path: { entry_id: id } }));
}

const HOUR_MS = 3_600_000;

/** What was read in the last 24 hours; the cloud counts by whole hours. */
export function collectionShareQuery(deviceId: number, nowMs: number) {
  const to_ms = Math.ceil((nowMs + 1) / HOUR_MS) * HOUR_MS;
  const query = { from_ms: to_ms - 24 * HOUR_MS, to_ms, bucket: 'hour' as const };
  return queryOptions({
    queryKey: ['collection', 'share', deviceId, to_ms],
    queryFn: async ({ signal }) => (await call(sdk.getCompleteness({ path: { device_id: deviceId }, query, signal }))).collection,
    placeholderData: keepPreviousData,
    refetchInterval: DEVICE_REFETCH_MS,
  });
}
