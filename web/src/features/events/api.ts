import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { AlarmRow, OnOfflineEvent, Unread } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { Asked, Page } from '@/components/resource/resource';
import type { AlarmLevel } from '@/lib/alarmTypes';
import { deviceTitle } from '@/lib/deviceTitle';
import type { Handling } from './handling';
import type { Period } from './period';
import { DEFAULTS } from './settings';
import type { Notifications } from './settings';

export type { AlarmRow, OnOfflineEvent, Unread };

/** Rows of a page of events, by specification. */
export const EVENT_PAGE = 20;
const LEVELS_STALE_MS = 300_000;
const SETTINGS_STALE_MS = 60_000;
const MOST_CHOICES = 20;

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

function alarmQuery({ filters }: Asked, period: Period) {
  return {
    ...period,
    search: filters.search || undefined,
    status: number(filters.status),
    level: filters.level || undefined,
    type: number(filters.type),
    device_id: number(filters.device),
  };
}

export function loadAlarms(asked: Asked, period: Period, signal: AbortSignal): Promise<Page<AlarmRow>> {
  return call(
    sdk.listAlarms({ query: { ...alarmQuery(asked, period), page: asked.page, limit: asked.limit }, signal }),
  );
}

/** offsetMin: this browser's time zone, minutes east of UTC. */
export async function exportAlarms(
  asked: Asked,
  period: Period,
  language: 'zh' | 'en',
  offsetMin: number,
): Promise<Blob> {
  const query = { ...alarmQuery(asked, period), language, offset_min: offsetMin };
  const { data, error, response } = await sdk.exportAlarms({ query, parseAs: 'blob' });
  if ((data as unknown) instanceof Blob) return data as unknown as Blob;
  await call(Promise.resolve({ error, response }));
  throw new Error('the export is no file');
}

export function loadOnOffs(
  { filters, page, limit }: Asked,
  period: Period,
  signal: AbortSignal,
): Promise<Page<OnOfflineEvent>> {
  const query = {
    ...period,
    page,
    limit,
    search: filters.search || undefined,
    status: number(filters.status),
    device_id: number(filters.device),
    slaves: filters.slaves !== 'no',
  };
  return call(sdk.listOnOfflineEvents({ query, signal }));
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
        sdk.listDevices({ query: { search: search || undefined, page: 1, limit: MOST_CHOICES }, signal }),
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
