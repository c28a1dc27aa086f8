import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  AccessPasswordState,
  CommandRef,
  CommandStatus,
  DataSource,
  DeviceBody,
  DeviceDetail,
  DeviceRow,
  ListCommandsData,
  OnOfflineEntry,
  Preset,
  PresetBody,
  Series,
  Write,
} from '@/api/generated/types.gen';
import { ApiError, CODE } from '@/api/errors';
import { call } from '@/api/http';
import type { ChartSpan } from '@/charts/annotations';
import { askAccessPassword, forgetAccessPassword, hasAccessPassword } from '@/lib/accessPasswords';
import { deviceTitle } from '@/lib/deviceTitle';
import type { PointValue } from '@/lib/quality';
import { serverNow } from '@/lib/serverClock';
import { PasswordGiven } from './command';

export type {
  AccessPasswordState,
  CommandRef,
  CommandStatus,
  DataSource,
  DeviceBody,
  DeviceDetail,
  DeviceRow,
  OnOfflineEntry,
  Preset,
  PresetBody,
  Series,
  Write,
};

/** Device status is pushed; this only heals what a push may have missed. */
const DEVICE_REFETCH_MS = 30_000;
/** Values are polled this often while there is no live connection. */
export const POLL_WITHOUT_LINK_MS = 5_000;
/** First look at a command's state after sending, by specification; the same pause afterwards. */
export const COMMAND_POLL_MS = 2_000;
/** Most samples of a point in the live chart before it is told in buckets. */
const RECENT_POINTS = 4000;

export interface DeviceFilter {
  page: number;
  limit: number;
  search: string | undefined;
  status: string | undefined;
  project_id: number | undefined;
  product_id: number | undefined;
}

/** Begin of the keys of the monitor's lists, among all that hold gateways. */
export const MONITORED = ['devices', 'monitor'] as const;

export function devicesQuery(wanted: DeviceFilter) {
  return queryOptions({
    queryKey: [...MONITORED, wanted],
    queryFn: ({ signal }) => call(sdk.listDevices({ query: wanted, signal })),
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

/** The last while of one point as it is when it is asked: raw samples, or buckets when there are too many. */
export function recentQuery(dsid: number, windowMs: number) {
  return queryOptions({
    queryKey: ['history', 'recent', dsid, windowMs],
    queryFn: async ({ signal }): Promise<Series | null> => {
      const end = serverNow();
      const query = { dsids: String(dsid), start_ms: end - windowMs, end_ms: end, points: RECENT_POINTS };
      return (await call(sdk.getHistory({ query, signal }))).series[0] ?? null;
    },
    refetchOnMount: 'always',
    staleTime: Infinity,
  });
}

/** Times of the last while without a gateway or slave of these points, as the log has them. */
export function recentSpansQuery(dsids: readonly number[], windowMs: number) {
  return queryOptions({
    queryKey: ['history', 'recent', 'spans', dsids, windowMs],
    queryFn: async ({ signal }): Promise<ChartSpan[]> => {
      const end = serverNow();
      const query = { dsids: dsids.join(','), start_ms: end - windowMs, end_ms: end };
      const { offline } = await call(sdk.getHistorySpans({ query, signal }));
      return offline.map(({ start_ms, end_ms = null }) => ({ startMs: start_ms, endMs: end_ms }));
    },
    enabled: dsids.length > 0,
    placeholderData: keepPreviousData,
    meta: { errorInPlace: true },
  });
}

export type CommandFilter = Pick<NonNullable<ListCommandsData['query']>, 'batch_id' | 'origin' | 'origin_id'>;

export function commandsQuery(deviceId: number, page: number, limit: number, filter: CommandFilter) {
  return queryOptions({
    queryKey: ['commands', deviceId, page, limit, filter],
    queryFn: ({ signal }) => call(sdk.listCommands({ query: { device_id: deviceId, page, limit, ...filter }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** What is to be sent, of one gateway, under the request's own number: sent again it is not carried out again. */
export type Wanted = { dsid: number; value: PointValue } | { batch: Write[] } | { preset_id: number };

type Gateway = Pick<DeviceDetail, 'id' | 'device_title' | 'binder_devtitle'>;

/** Throws PasswordGiven when the access password was refused, nothing was sent and the user gave another one. */
export async function sendWrites(device: Gateway, wanted: Wanted, requestId: string): Promise<CommandRef> {
  await askFirst(device);
  const ref = await call(sdk.sendCommand({ body: { ...wanted, action: 'W', request_id: requestId } }));
  if (ref.status === 'notAuthorized') await askAgain(device, await commandStatus(ref.id));
  return ref;
}

async function askAgain(device: Gateway, { code }: Pick<CommandStatus, 'code'>): Promise<void> {
  if (code === 'locked') throw refusal(device, 'locked');
  if (code !== 'access_password') return;
  forgetAccessPassword(device.id);
  if (await askAccessPassword({ deviceId: device.id, device: deviceTitle(device), isWrong: true }))
    throw new PasswordGiven();
  throw refusal(device, 'wrong');
}

function refusal(gateway: Gateway, why: 'needed' | 'wrong' | 'locked'): ApiError {
  return new ApiError({
    code: CODE.NO_PERMISSION,
    status: 403,
    reason: `access_password.${why}`,
    args: { device: deviceTitle(gateway) },
  });
}

/** A command without the password ends as one that was refused, so it is asked for before. */
async function askFirst(gateway: Gateway): Promise<void> {
  const { id } = gateway;
  if (hasAccessPassword(id)) return;
  const { is_set: isSet } = await call(sdk.getAccessPassword({ path: { device_id: id } }));
  if (isSet && !(await askAccessPassword({ deviceId: id, device: deviceTitle(gateway), isWrong: false }))) {
    throw refusal(gateway, 'needed');
  }
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

export async function act(
  action: Action,
  deviceId: number,
  requestId: string,
): Promise<Pick<CommandRef, 'id' | 'status'>> {
  const path = { device_id: deviceId };
  const query = { request_id: requestId };
  return action === 'csq' ? call(sdk.getSignalStrength({ path })) : call(ACTIONS[action]({ path, query }));
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
export function sharesQuery(deviceId: number, nowMs: number) {
  const to_ms = Math.ceil((nowMs + 1) / HOUR_MS) * HOUR_MS;
  const query = { from_ms: to_ms - 24 * HOUR_MS, to_ms, bucket: 'hour' as const };
  return queryOptions({
    queryKey: ['completeness', 'shares', deviceId, to_ms],
    queryFn: ({ signal }) => call(sdk.getCompleteness({ path: { device_id: deviceId }, query, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: DEVICE_REFETCH_MS,
  });
}
