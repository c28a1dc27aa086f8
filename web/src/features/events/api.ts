import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  AlarmCounts,
  AlarmDetail,
  AlarmGroup,
  AlarmLinkage,
  AlarmNotification,
  AlarmReport,
  AlarmRow,
  OnOfflineCounts,
  OnOfflineEvent,
  Outcome,
  SuppressionRow,
  Unread,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { ListRequest, Page } from '@/components/resource/resource';
import type { AlarmLevel } from '@/lib/alarmTypes';
import { deviceTitle } from '@/lib/deviceTitle';
import { isOfOne } from './handling';
import type { Handling, Outcome as Result } from './handling';
import type { Period } from './period';
import { DEFAULTS } from './settings';
import type { Notifications } from './settings';
import { mayAcknowledge, STATES } from './views';

export type {
  AlarmCounts,
  AlarmDetail,
  AlarmGroup,
  AlarmLinkage,
  AlarmNotification,
  AlarmReport,
  AlarmRow,
  OnOfflineEvent,
  SuppressionRow,
  Unread,
};

/** Rows of a page of events, by specification. */
export const EVENT_PAGE = 20;
const LEVELS_STALE_MS = 300_000;
const SETTINGS_STALE_MS = 60_000;
const MAX_CHOICES = 20;
/** A flood ends without a push. */
const COUNTS_MS = 60_000;
/** A gateway answers a write within seconds. */
const WRITES_MS = 5000;
const NOTIFICATION_MS = 10_000;

/** Of every list of events. */
export const EVENTS = ['event'] as const;
export const ALARMS = ['event', 'alarmlog'] as const;
export const ON_OFFS = ['event', 'onoffline'] as const;

export const unreadQuery = queryOptions({
  queryKey: ['event', 'unread'],
  queryFn: ({ signal }): Promise<Unread> => call(sdk.getUnread({ signal })),
});

/** The platform's own alarm levels. */
export const levelsQuery = queryOptions({
  queryKey: ['option', 'alarm_levels'],
  queryFn: async ({ signal }): Promise<readonly AlarmLevel[]> => {
    const option = await call(sdk.getOption({ query: { name: 'alarm_levels' }, signal }));
    return option.name === 'alarm_levels' ? (option.value ?? []) : [];
  },
  staleTime: LEVELS_STALE_MS,
});

export const settingsQuery = queryOptions({
  queryKey: ['userOption', 'notifications'],
  queryFn: async ({ signal }): Promise<Notifications> => {
    const option = await call(sdk.getUserOption({ query: { name: 'notifications' }, signal }));
    return option.name === 'notifications' ? { ...DEFAULTS, ...option.value } : DEFAULTS;
  },
  staleTime: SETTINGS_STALE_MS,
});

export async function saveSettings(value: Notifications): Promise<void> {
  await call(sdk.putUserOption({ body: { name: 'notifications', value } }));
}

const number = (text: string | undefined): number | undefined =>
  text === undefined || !/^\d{1,10}$/.test(text) ? undefined : Number(text);

function alarmQuery({ filters }: ListRequest, period: Partial<Period>) {
  return {
    ...period,
    search: filters.search || undefined,
    status: number(filters.status),
    level: filters.level || undefined,
    type: number(filters.type),
    device_id: number(filters.device),
    state: STATE_CODES.find((state) => state === filters.state),
  };
}

const STATE_CODES = STATES.history as readonly NonNullable<AlarmRow['state']>[];

/** What a list of alarms is asked for beside its filters. */
export interface Part {
  /** Without one the history. */
  view?: 'active' | 'unhandled';
  /** Without those under a root cause. */
  folded?: boolean;
}

export function loadAlarms(
  request: ListRequest,
  period: Partial<Period>,
  signal: AbortSignal,
  part: Part = {},
): Promise<Page<AlarmRow>> {
  const query = { ...alarmQuery(request, period), ...part, page: request.page, limit: request.limit };
  return call(sdk.listAlarms({ query, signal }));
}

/** Repeats are one row. */
export function loadGroups(
  request: ListRequest,
  period: Partial<Period>,
  signal: AbortSignal,
  part: Part,
): Promise<Page<AlarmGroup>> {
  const query = { ...alarmQuery(request, period), ...part, page: request.page, limit: request.limit };
  return call(sdk.listAlarmGroups({ query, signal }));
}

/** Which events a drawer lists: those under a root cause, or the repeats of a group. */
export type Members = { parent_event_id: number } | { device_id: number; alarm_rule_id: number; type: number };

export function membersQuery(members: Members, part: Part, page: number, limit: number) {
  return queryOptions({
    queryKey: [...ALARMS, 'members', members, part, page, limit],
    queryFn: ({ signal }) => call(sdk.listAlarms({ query: { ...members, view: part.view, page, limit }, signal })),
    placeholderData: keepPreviousData,
  });
}

export const countsQuery = queryOptions({
  queryKey: [...ALARMS, 'counts'],
  queryFn: ({ signal }): Promise<AlarmCounts> => call(sdk.getAlarmCounts({ signal })),
  refetchInterval: COUNTS_MS,
  meta: { errorInPlace: true },
});

export const reportQuery = queryOptions({
  queryKey: [...ALARMS, 'report'],
  queryFn: ({ signal }): Promise<AlarmReport> => call(sdk.getAlarmReport({ signal })),
});

export function detailQuery(id: number) {
  return queryOptions({
    queryKey: [...ALARMS, 'detail', id],
    queryFn: ({ signal }): Promise<AlarmDetail> => call(sdk.getAlarm({ path: { event_id: id }, signal })),
    meta: { errorInPlace: true },
  });
}

/** What the linkages of an alarm did; asked again while some of it is under way. */
export function linkagesQuery(id: number) {
  return queryOptions({
    queryKey: [...ALARMS, 'linkage', id],
    queryFn: ({ signal }): Promise<AlarmLinkage[]> => call(sdk.listAlarmLinkages({ path: { event_id: id }, signal })),
    refetchInterval: ({ state }) => ((state.data ?? []).some(isUnderWay) ? WRITES_MS : false),
    meta: { errorInPlace: true },
  });
}

/** Who was told of an alarm; it changes by itself for a while after the alarm. */
export function notificationQuery(id: number) {
  return queryOptions({
    queryKey: [...ALARMS, 'notification', id],
    queryFn: ({ signal }): Promise<AlarmNotification> =>
      call(sdk.getAlarmNotification({ path: { event_id: id }, signal })),
    refetchInterval: NOTIFICATION_MS,
    meta: { errorInPlace: true },
  });
}

function isUnderWay({ state, writes }: AlarmLinkage): boolean {
  return state === 'waiting' || state === 'unreported' || writes.some((write) => write.state === 'waiting');
}

/** Add a note; the event is as handled as before. */
export function noteAlarm(id: number, note: string): Promise<AlarmRow> {
  return call(sdk.noteAlarm({ path: { event_id: id }, body: { note } }));
}

/** At most so many at once, by the cloud. */
const MAX_IDS = 200;

async function chunked(ids: readonly number[], act: (ids: number[]) => Promise<Outcome>): Promise<Result> {
  const result = { done: 0, skipped: 0 };
  for (let at = 0; at < ids.length; at += MAX_IDS) {
    const some = ids.slice(at, at + MAX_IDS);
    try {
      const { done, skipped } = await act(some);
      result.done += done.length;
      result.skipped += skipped.length;
    } catch (error) {
      // Nothing of these could be done; of one alone the reason is shown.
      if (ids.length === 1 || !isOfOne(error)) throw error;
      result.skipped += some.length;
    }
  }
  return result;
}

export function acknowledge(ids: readonly number[], note = ''): Promise<Result> {
  return chunked(ids, (some) => call(sdk.acknowledgeAlarms({ body: { ids: some, note } })));
}

export function suppress(
  ids: readonly number[],
  kind: 'shelved' | 'out_of_service',
  duration_s: number,
  reason: string,
): Promise<Result> {
  return chunked(ids, (some) => call(sdk.suppressAlarms({ body: { ids: some, kind, duration_s, reason } })));
}

/** Those of a group that nobody has acknowledged, the newest 100. */
export async function acknowledgeGroup(members: Members): Promise<Result> {
  const { rows } = await call(sdk.listAlarms({ query: { ...members, limit: 100 } }));
  return acknowledge(rows.filter(mayAcknowledge).map(({ id }) => id));
}

export function loadSuppressions(
  { page, limit, filters }: ListRequest,
  signal: AbortSignal,
): Promise<Page<SuppressionRow>> {
  const kind = KINDS.find((one) => one === filters.kind);
  return call(sdk.listSuppressions({ query: { kind, device_id: number(filters.device), page, limit }, signal }));
}

export const KINDS = ['shelved', 'maintenance', 'out_of_service'] as const;

/** offsetMin: this browser's time zone, minutes east of UTC. */
export async function exportAlarms(
  request: ListRequest,
  period: Partial<Period>,
  language: 'zh' | 'en',
  offsetMin: number,
  part: Part = {},
): Promise<Blob> {
  const query = { ...alarmQuery(request, period), ...part, language, offset_min: offsetMin };
  const { data, error, response } = await sdk.exportAlarms({ query, parseAs: 'blob' });
  if ((data as unknown) instanceof Blob) return data as unknown as Blob;
  await call(Promise.resolve({ error, response }));
  throw new Error('the export is no file');
}

function onOffQuery({ filters }: Pick<ListRequest, 'filters'>, period: Period) {
  return {
    ...period,
    search: filters.search || undefined,
    device_id: number(filters.device),
    slaves: filters.slaves !== 'no',
  };
}

export function loadOnOffs(request: ListRequest, period: Period, signal: AbortSignal): Promise<Page<OnOfflineEvent>> {
  const { filters, page, limit } = request;
  const query = { ...onOffQuery(request, period), status: number(filters.status), page, limit };
  return call(sdk.listOnOfflineEvents({ query, signal }));
}

/** offsetMin: this browser's time zone, minutes east of UTC. */
export async function exportOnOffs(
  request: ListRequest,
  period: Period,
  language: 'zh' | 'en',
  offsetMin: number,
): Promise<Blob> {
  const status = number(request.filters.status);
  const query = { ...onOffQuery(request, period), status, language, offset_min: offsetMin };
  const { data, error, response } = await sdk.exportOnOfflineEvents({ query, parseAs: 'blob' });
  if ((data as unknown) instanceof Blob) return data as unknown as Blob;
  await call(Promise.resolve({ error, response }));
  throw new Error('the export is no file');
}

/** How many went and came of what the filters leave, whatever status they choose. range: names the period. */
export function onOffCountsQuery(filters: Readonly<Record<string, string>>, period: Period, range: string) {
  return queryOptions({
    queryKey: [...ON_OFFS, 'counts', filters, range],
    queryFn: ({ signal }): Promise<OnOfflineCounts> =>
      call(sdk.countOnOfflineEvents({ query: onOffQuery({ filters }, period), signal })),
    placeholderData: keepPreviousData,
    meta: { errorInPlace: true },
  });
}

/** The newest events; from: UTC ms, all of them without. */
export function newestAlarms(
  page: number,
  limit: number,
  signal?: AbortSignal,
  from?: number,
): Promise<Page<AlarmRow>> {
  return call(sdk.listAlarms({ query: { page, limit, starttime: from }, signal }));
}

export function newestOnOffs(
  page: number,
  limit: number,
  signal?: AbortSignal,
  from?: number,
): Promise<Page<OnOfflineEvent>> {
  return call(sdk.listOnOfflineEvents({ query: { page, limit, starttime: from }, signal }));
}

export function panelAlarmsQuery(page: number, limit: number) {
  return queryOptions({
    queryKey: [...ALARMS, 'newest', page, limit],
    queryFn: ({ signal }) => newestAlarms(page, limit, signal),
    placeholderData: keepPreviousData,
  });
}

export function panelOnOffsQuery(page: number, limit: number) {
  return queryOptions({
    queryKey: [...ON_OFFS, 'newest', page, limit],
    queryFn: ({ signal }) => newestOnOffs(page, limit, signal),
    placeholderData: keepPreviousData,
  });
}

export function handleAlarm(id: number, status: Handling, note: string): Promise<AlarmRow> {
  return call(sdk.handleAlarm({ path: { event_id: id }, body: { status, note } }));
}

export async function deleteAlarm(id: number): Promise<void> {
  await call(sdk.deleteAlarm({ path: { event_id: id } }));
}

export function readAll(kind: 'alarm' | 'onoffline'): Promise<Unread> {
  return call(sdk.readEvents({ body: { kind } }));
}

export interface DeviceChoice {
  value: string;
  label: string;
}

export function devicesQuery(search: string) {
  return queryOptions({
    queryKey: ['devices', 'pick', search],
    queryFn: async ({ signal }): Promise<readonly DeviceChoice[]> => {
      const { rows } = await call(
        sdk.listDevices({ query: { search: search || undefined, page: 1, limit: MAX_CHOICES }, signal }),
      );
      return rows.map((row) => ({ value: String(row.id), label: deviceTitle(row) }));
    },
    placeholderData: keepPreviousData,
  });
}

/** Title of one gateway, for a filter whose address names it by number. */
export function deviceTitleQuery(id: number) {
  return queryOptions({
    queryKey: ['device', id, 'title'],
    queryFn: async ({ signal }): Promise<string> => {
      return deviceTitle(await call(sdk.getDevice({ path: { device_id: id }, signal })));
    },
    staleTime: LEVELS_STALE_MS,
  });
}
