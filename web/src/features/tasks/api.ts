import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  CalendarBody,
  CalendarRow,
  DataSource,
  PreviewTaskData,
  Preset,
  TaskBody,
  TaskRow,
  TaskRunRow,
  TaskRunStep,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { Choice } from '@/components/AsyncPicker';
import type { ListRequest, Page } from '@/components/resource/resource';
import { requestId } from '@/lib/requestId';

export type { CalendarBody, CalendarRow, DataSource, Preset, TaskBody, TaskRow, TaskRunRow, TaskRunStep };
export type ActionBody = TaskBody['actions'][number];
export type PreviewQuery = PreviewTaskData['query'];

export const TASKS = ['task'] as const;
export const CALENDARS = ['taskCalendar'] as const;
export const COMMANDS = ['refresh', 'forward', 'reload', 'reboot', 'reallocate'] as const;
export const KINDS = ['once', 'cyclic', 'daily'] as const;
export const ACTIONS = ['write', 'preset', 'formula', 'command'] as const;

const MAX_RESULTS = 20;
export const LOG_ROWS = 20;
const FOLLOW_MS = 2000;

export function loadTasks({ filters, page, limit }: ListRequest, signal: AbortSignal): Promise<Page<TaskRow>> {
  const device = Number(filters.device_id);
  const query = {
    search: filters.search || undefined,
    device_id: Number.isInteger(device) && device > 0 ? device : undefined,
    enabled: filters.enabled === undefined || filters.enabled === '' ? undefined : filters.enabled === 'true',
    page,
    limit,
  };
  return call(sdk.listTasks({ query, signal }));
}

export function createTask(body: TaskBody): Promise<TaskRow> {
  return call(sdk.createTask({ body }));
}

/** base: changed_ms of what the editor began with; refused when there is a newer one. */
export function changeTask(id: number, body: TaskBody, base: number): Promise<TaskRow> {
  return call(sdk.changeTask({ path: { task_id: id }, body: { ...body, base } }));
}

export function enableTask(id: number, enabled: boolean): Promise<TaskRow> {
  return call(sdk.enableTask({ path: { task_id: id }, body: { enabled } }));
}

export async function deleteTask(id: number): Promise<void> {
  await call(sdk.deleteTask({ path: { task_id: id } }));
}

export function runTask(id: number): Promise<TaskRunRow> {
  return call(sdk.runTask({ path: { task_id: id }, body: { request_id: requestId() } }));
}

/** Asked for again while a run has not ended. */
export function logQuery(id: number, page: number) {
  return queryOptions({
    queryKey: [...TASKS, id, 'log', page],
    queryFn: ({ signal }) =>
      call(sdk.listTaskRuns({ path: { task_id: id }, query: { page, limit: LOG_ROWS }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.rows.some(({ status }) => status === -1) ? FOLLOW_MS : false),
    meta: { errorInPlace: true },
  });
}

export function previewQuery(query: PreviewQuery | null) {
  return queryOptions({
    queryKey: ['taskPreview', query],
    queryFn: ({ signal }) => call(sdk.previewTask({ query: query as PreviewQuery, signal })),
    enabled: query !== null,
    placeholderData: keepPreviousData,
    retry: false,
    meta: { errorInPlace: true },
  });
}

export function pointsQuery(device: number) {
  return queryOptions({
    queryKey: ['device', device, 'sources'],
    queryFn: async ({ signal }): Promise<readonly DataSource[]> =>
      (await call(sdk.listDataSources({ query: { device_id: device }, signal }))).rows,
    enabled: device > 0,
    meta: { errorInPlace: true },
  });
}

export function presetsQuery(device: number) {
  return queryOptions({
    queryKey: ['device', device, 'presets'],
    queryFn: async ({ signal }): Promise<readonly Preset[]> =>
      (await call(sdk.listPresets({ path: { device_id: device }, signal }))).rows,
    enabled: device > 0,
    meta: { errorInPlace: true },
  });
}

export function loadCalendars({ filters, page, limit }: ListRequest, signal: AbortSignal): Promise<Page<CalendarRow>> {
  return call(sdk.listHolidayCalendars({ query: { search: filters.search || undefined, page, limit }, signal }));
}

export async function findCalendars(search: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const query = { search: search || undefined, page: 1, limit: MAX_RESULTS };
  const { rows } = await call(sdk.listHolidayCalendars({ query, signal }));
  return rows.map(({ id, title }) => ({ value: String(id), label: title }));
}

export function createCalendar(body: CalendarBody): Promise<CalendarRow> {
  return call(sdk.createHolidayCalendar({ body }));
}

export function changeCalendar(id: number, body: CalendarBody): Promise<CalendarRow> {
  return call(sdk.changeHolidayCalendar({ path: { calendar_id: id }, body }));
}

export async function deleteCalendar(id: number): Promise<void> {
  await call(sdk.deleteHolidayCalendar({ path: { calendar_id: id } }));
}
