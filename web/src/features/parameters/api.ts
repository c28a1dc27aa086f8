import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError } from '@/api/errors';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  DeviceRow,
  FirmwareGatewayRow,
  GatewayParameters,
  GatewayPlan,
  GroupRows,
  Job,
  ParameterPlanBody,
  ParameterPlanPreview,
  ParameterPlanResult,
  ParameterPlanRow,
  ParameterPlanRun,
  PlanGateway,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { ListRequest, Page } from '@/components/resource/resource';
import { groupOf } from './model/schema';
import type { Group } from './model/schema';

export type { GatewayParameters, GatewayPlan, GroupRows, ParameterPlanPreview, ParameterPlanResult, ParameterPlanRun };
export type { ParameterPlanBody as PlanBody, ParameterPlanRow as PlanRow, PlanGateway };

export const GATEWAYS = ['device', 'parameters'] as const;
export const PLANS = ['parameterPlan'] as const;

/** Gateways go on by themselves; nothing is pushed of the results of a plan. */
const RESULTS_REFETCH_MS = 5_000;

/** A gateway with its parameter plan, and with its firmware for who may know of that. */
export interface GatewayRow extends DeviceRow {
  draft: string | null;
  plan: GatewayPlan | null;
  firmware: FirmwareGatewayRow | null;
}

/** Gateways of a page; firmware: also what they run of that. */
export async function loadGateways(
  { page, limit, filters, sortBy }: ListRequest,
  signal: AbortSignal,
  firmware: boolean,
): Promise<Page<GatewayRow>> {
  const query = {
    page,
    limit,
    sort: sortBy,
    search: filters.search || undefined,
    status: filters.status || undefined,
    project_id: filters.project ? Number(filters.project) : undefined,
  };
  const { rows, total } = await call(sdk.listDevices({ query, signal }));
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return { rows: [], total };
  const [parameters, upgrades] = await Promise.all([
    call(sdk.listParameterGateways({ query: { device_id: ids }, signal })),
    firmware ? call(sdk.listFirmwareGateways({ query: { device_id: ids, limit: ids.length }, signal })) : null,
  ]);
  const plans = new Map(parameters.map((one) => [one.device_id, one]));
  const running = new Map(upgrades?.rows.map((one) => [one.device_id, one]));
  return {
    rows: rows.map((row) => ({
      ...row,
      draft: plans.get(row.id)?.draft ?? null,
      plan: plans.get(row.id)?.plan ?? null,
      firmware: running.get(row.id) ?? null,
    })),
    total,
  };
}

export const groupsQuery = queryOptions({
  queryKey: ['parameterGroup'],
  queryFn: async ({ signal }): Promise<readonly Group[]> =>
    (await call(sdk.listParameterGroups({ signal }))).map(groupOf),
  staleTime: Infinity,
});

export function deviceQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['device', deviceId],
    queryFn: ({ signal }) => call(sdk.getDevice({ path: { device_id: deviceId }, signal })),
  });
}

export function parametersQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['parameters', deviceId],
    queryFn: ({ signal }) => call(sdk.getParameters({ path: { device_id: deviceId }, signal })),
  });
}

/** The draft of a gateway; the same data as other tabs ask for. */
export function draftQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['configuration', deviceId, 1, 1],
    queryFn: ({ signal }) =>
      call(sdk.getConfiguration({ path: { device_id: deviceId }, query: { page: 1, limit: 1 }, signal })),
  });
}

/** Put groups into the draft. Refused when somebody has changed the configuration since base. */
export async function saveParameters(deviceId: number, base: string | null, groups: GroupRows[]): Promise<string> {
  return (await call(sdk.saveParameters({ path: { device_id: deviceId }, body: { base, groups } }))).base;
}

/** Was somebody else faster? */
export const isForestalled = (error: unknown): boolean =>
  error instanceof ApiError && error.facts.status === 409 && error.facts.field === 'base';

export function loadPlans({ page, limit, filters }: ListRequest, signal: AbortSignal): Promise<Page<ParameterPlanRow>> {
  return call(sdk.listParameterPlans({ query: { page, limit, search: filters.search || undefined }, signal }));
}

const pathOf = (id: number): { parameter_plan_id: number } => ({ parameter_plan_id: id });

export function planQuery(id: number) {
  return queryOptions({
    queryKey: [...PLANS, id],
    queryFn: ({ signal }) => call(sdk.getParameterPlan({ path: pathOf(id), signal })),
    meta: { errorInPlace: true },
  });
}

/** version: another one has another preview. */
export function previewQuery(id: number, version: number, page: number, limit: number) {
  return queryOptions({
    queryKey: [...PLANS, id, 'preview', version, page, limit],
    queryFn: ({ signal }) => call(sdk.previewParameterPlan({ path: pathOf(id), query: { page, limit }, signal })),
    placeholderData: keepPreviousData,
    meta: { errorInPlace: true },
  });
}

export function resultsQuery(id: number, page: number, limit: number) {
  return queryOptions({
    queryKey: [...PLANS, id, 'results', page, limit],
    queryFn: ({ signal }) => call(sdk.listParameterPlanResults({ path: pathOf(id), query: { page, limit }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: RESULTS_REFETCH_MS,
    meta: { errorInPlace: true },
  });
}

export const createPlan = (body: ParameterPlanBody): Promise<ParameterPlanRow> =>
  call(sdk.createParameterPlan({ body }));

export const changePlan = (id: number, body: ParameterPlanBody): Promise<ParameterPlanRow> =>
  call(sdk.changeParameterPlan({ path: pathOf(id), body }));

export async function deletePlan(id: number): Promise<void> {
  await call(sdk.deleteParameterPlan({ path: pathOf(id) }));
}

export const runPlan = (id: number, body: ParameterPlanRun): Promise<Job> =>
  call(sdk.runParameterPlan({ path: pathOf(id), body }));

/** Gateways by number, with their titles: those that cannot be seen have none. */
export async function titlesOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const found = await Promise.allSettled(ids.map((id) => call(sdk.getDevice({ path: { device_id: id } }))));
  return new Map(
    found.flatMap((one) => (one.status === 'fulfilled' ? [[one.value.id, one.value.device_title] as const] : [])),
  );
}

export const projectsQuery = queryOptions({
  queryKey: ['project'],
  queryFn: ({ signal }) => call(sdk.listProjects({ signal })),
  meta: { errorInPlace: true },
});
