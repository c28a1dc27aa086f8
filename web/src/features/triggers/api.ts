import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  BacktestRow,
  DataSource,
  Preset,
  Slave,
  TriggerBody,
  TriggerRow,
  TriggerRuleBody,
} from '@/api/generated/types.gen';
import { ApiError } from '@/api/errors';
import { call } from '@/api/http';
import type { Choice } from '@/components/AsyncPicker';
import type { ListRequest, Page } from '@/components/resource/resource';
import type { AlarmLevel } from '@/lib/alarmTypes';

export type { BacktestRow, DataSource, Preset, Slave, TriggerBody, TriggerRow, TriggerRuleBody };

const MAX_RESULTS = 20;
/** Of a rule that is tried while another one is. */
const BUSY = 429;
const MAX_WAITS = 8;
const WAIT_MS = 1000;

export const TRIGGERS = ['trigger'] as const;

/** Who says what a trigger is: somebody who made it, or a point by its settings. */
export const ORIGINS = ['user', 'point'] as const;

export function loadTriggers({ filters, page, limit }: ListRequest, signal: AbortSignal): Promise<Page<TriggerRow>> {
  const device = Number(filters.device_id);
  const query = {
    search: filters.search || undefined,
    device_id: Number.isInteger(device) && device > 0 ? device : undefined,
    origin: ORIGINS.find((each) => each === filters.origin),
    page,
    limit,
  };
  return call(sdk.listTriggers({ query, signal }));
}

/** What a form begins with: what changes elsewhere meanwhile must not take away what was typed. */
export function triggerQuery(id: number) {
  return queryOptions({
    queryKey: ['triggerForm', id],
    staleTime: Infinity,
    gcTime: 0,
    queryFn: ({ signal }) => call(sdk.getTrigger({ path: { trigger_id: id }, signal })),
    meta: { errorInPlace: true },
  });
}

/** Contact groups by title; none for who may not see them. */
export async function findGroups(search: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const query = { search: search || undefined, page: 1, limit: MAX_RESULTS };
  const { rows } = await call(sdk.listContactGroups({ query, signal }));
  return rows.map(({ id, title }) => ({ value: String(id), label: title }));
}

export function createTrigger(body: TriggerBody): Promise<TriggerRow> {
  return call(sdk.createTrigger({ body }));
}

/** base: changed_ms of what the editor began with; refused when there is a newer one. */
export function changeTrigger(id: number, body: TriggerBody, base: number): Promise<TriggerRow> {
  return call(sdk.changeTrigger({ path: { trigger_id: id }, body: { ...body, base } }));
}

export function loadTrigger(id: number): Promise<TriggerRow> {
  return call(sdk.getTrigger({ path: { trigger_id: id } }));
}

/** Keep the alarms of a rule quiet at all its gateways; the numbers by which that is ended. */
export function suppressRule(
  trigger: number,
  rule: number,
  kind: 'shelved' | 'out_of_service',
  duration_s: number,
  reason: string,
): Promise<number[]> {
  const path = { trigger_id: trigger, alarm_rule_id: rule };
  return call(sdk.suppressRule({ path, body: { kind, duration_s, reason } }));
}

export function enableTrigger(id: number, enabled: boolean): Promise<TriggerRow> {
  return call(sdk.enableTrigger({ path: { trigger_id: id }, body: { enabled } }));
}

export async function deleteTrigger(id: number): Promise<void> {
  await call(sdk.deleteTrigger({ path: { trigger_id: id } }));
}

/** When a rule would have made alarms. */
export function tryRule(
  rule: TriggerRuleBody,
  interval_s: number,
  start_ms: number,
  end_ms: number,
): Promise<BacktestRow> {
  return call(sdk.tryTrigger({ body: { rule, interval_s, start_ms, end_ms } }));
}

/** As tryRule, of a rule as JSON; '' asks nothing. What was shown stays until the next answer comes. */
export function previewQuery(rule: string, interval_s: number, start_ms: number, end_ms: number) {
  return queryOptions({
    queryKey: ['triggerPreview', rule, interval_s, start_ms, end_ms],
    queryFn: ({ signal }) =>
      call(
        sdk.tryTrigger({ body: { rule: JSON.parse(rule) as TriggerRuleBody, interval_s, start_ms, end_ms }, signal }),
      ),
    enabled: rule !== '',
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    // the try before, of a rule that is another one by now, goes on in the cloud for a while
    retry: (failures, error) => failures < MAX_WAITS && error instanceof ApiError && error.facts.status === BUSY,
    retryDelay: WAIT_MS,
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

export function slavesQuery(device: number) {
  return queryOptions({
    queryKey: ['device', device, 'slaves'],
    queryFn: async ({ signal }): Promise<readonly Slave[]> =>
      (await call(sdk.getDevice({ path: { device_id: device }, signal }))).slaves,
    enabled: device > 0,
    meta: { errorInPlace: true },
  });
}

export function presetsQuery(device: number) {
  return queryOptions({
    queryKey: ['presets', device],
    queryFn: async ({ signal }): Promise<readonly Preset[]> =>
      (await call(sdk.listPresets({ path: { device_id: device }, signal }))).rows,
    enabled: device > 0,
    meta: { errorInPlace: true },
  });
}

export const levelsQuery = queryOptions({
  queryKey: ['option', 'alarm_levels'],
  queryFn: async ({ signal }): Promise<readonly AlarmLevel[]> => {
    const option = await call(sdk.getOption({ query: { name: 'alarm_levels' }, signal }));
    return option.value as unknown as readonly AlarmLevel[];
  },
  meta: { errorInPlace: true },
});
