import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  FirmwareFileRow as FileRow,
  FirmwareGatewayRow,
  FirmwareKeyBody as KeyBody,
  FirmwareKeyRow as KeyRow,
  FirmwareProjectRow as ProjectRow,
  PlanAction,
  PlanBody,
  PlanDetail,
  PlanHindrance,
  PlanPreview,
  PlanRow,
  PlanRules,
  PlanState,
  UpgradeCounts,
  UpgradeRow,
  UpgradeState,
  UploadFirmwareData,
  WaveRow,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import { uploadFile } from '@/api/upload';
import type { Choice } from '@/components/AsyncPicker';
import type { ListRequest, Page } from '@/components/resource/resource';
import { stringifySearch } from '@/lib/screens';
import { gatewayChoice } from './gatewayChoice';

export type { FileRow, FirmwareGatewayRow, KeyBody, KeyRow, PlanAction, PlanBody, PlanDetail, PlanPreview, PlanRow };
export type { PlanHindrance, PlanRules, PlanState, ProjectRow, UpgradeCounts, UpgradeRow, UpgradeState, WaveRow };

export const FIRMWARE = ['firmware'] as const;
export const PLANS = [...FIRMWARE, 'plan'] as const;
export const FILES = [...FIRMWARE, 'file'] as const;
export const KEYS = [...FIRMWARE, 'key'] as const;
export const UPGRADES = [...FIRMWARE, 'upgrade'] as const;
export const PROJECTS = [...FIRMWARE, 'project'] as const;

/** Changes anything: the screens' own permission does not. */
export const MAY_UPGRADE = 'ota.Firmware';

/** Upgrade types of the contract. */
export const PACKAGE = 1;
export const IMAGE = 2;

export const PLAN_STATES = ['draft', 'running', 'paused', 'finished', 'cancelled'] as const;
export const UPGRADE_STATES = [
  'waiting',
  'ordered',
  'downloading',
  'verified',
  'installed',
  'trial',
  'watching',
  'succeeded',
  'failed',
  'missed',
  'skipped',
] as const;

/** A rollout that goes on is asked for so often; one that rests may be moved by somebody else. */
export const MOVING_MS = 3000;
export const RESTING_MS = 30_000;
const MAX_CHOICES = 20;
const MAX_EXPORTED = 10_000;
const EXPORTED_AT_ONCE = 100;

/** Does something happen in it without anybody doing anything? */
export function isMoving({ state, counts }: Pick<PlanRow, 'state' | 'counts'>): boolean {
  return state === 'running' || (counts.under_way ?? 0) > 0 || (counts.watching ?? 0) > 0;
}

export function loadPlans({ filters, page, limit }: ListRequest, signal: AbortSignal): Promise<Page<PlanRow>> {
  const state = PLAN_STATES.find((each) => each === filters.state);
  return call(sdk.listFirmwarePlans({ query: { search: filters.search || undefined, state, page, limit }, signal }));
}

export function planQuery(id: number) {
  return queryOptions({
    queryKey: [...PLANS, id],
    queryFn: ({ signal }): Promise<PlanDetail> => call(sdk.getFirmwarePlan({ path: { plan_id: id }, signal })),
    refetchInterval: ({ state }) => (state.data !== undefined && isMoving(state.data) ? MOVING_MS : RESTING_MS),
    meta: { errorInPlace: true },
  });
}

/** What a start would do; changed_ms: another plan since means another answer. */
export function previewQuery({ id, changed_ms, actions }: Pick<PlanRow, 'id' | 'changed_ms' | 'actions'>) {
  return queryOptions({
    queryKey: [...PLANS, id, 'preview', changed_ms],
    queryFn: ({ signal }): Promise<PlanPreview> => call(sdk.previewFirmwarePlan({ path: { plan_id: id }, signal })),
    enabled: actions.includes('start'),
    refetchInterval: RESTING_MS,
    meta: { errorInPlace: true },
  });
}

export interface GatewaysWanted {
  plan: number;
  states: readonly UpgradeState[];
  wave: number | null;
  search: string;
  page: number;
  limit: number;
}

/** Gateways of a plan, each once; isMoving: they are asked for again. */
export function gatewaysQuery({ plan, states, wave, search, page, limit }: GatewaysWanted, moving: boolean) {
  const query = { upgrade_state: [...states], wave, search: search || undefined, newest: true, page, limit };
  return queryOptions({
    queryKey: [...PLANS, plan, 'gateways', query],
    queryFn: ({ signal }): Promise<Page<UpgradeRow>> =>
      call(sdk.listPlanUpgrades({ path: { plan_id: plan }, query, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: moving ? MOVING_MS : false,
    meta: { errorInPlace: true },
  });
}

export const createPlan = (body: PlanBody): Promise<PlanDetail> => call(sdk.createFirmwarePlan({ body }));

export const changePlan = (id: number, body: PlanBody): Promise<PlanDetail> =>
  call(sdk.changeFirmwarePlan({ path: { plan_id: id }, body }));

export async function deletePlan(id: number): Promise<void> {
  await call(sdk.deleteFirmwarePlan({ path: { plan_id: id } }));
}

/** What somebody does with a rollout. */
export const STEPS = ['approve', 'start', 'pause', 'resume', 'retry', 'rollback', 'cancel'] as const;
export type Step = (typeof STEPS)[number];

const CALLS = {
  approve: sdk.approveFirmwarePlan,
  start: sdk.startFirmwarePlan,
  pause: sdk.pauseFirmwarePlan,
  resume: sdk.resumeFirmwarePlan,
  retry: sdk.retryFirmwarePlan,
  rollback: sdk.rollBackFirmwarePlan,
  cancel: sdk.cancelFirmwarePlan,
} as const;

export const doStep = (id: number, step: Step): Promise<PlanDetail> => call(CALLS[step]({ path: { plan_id: id } }));

export function loadFiles({ filters, page, limit }: ListRequest, signal: AbortSignal): Promise<Page<FileRow>> {
  const type = Number(filters.type);
  const query = {
    search: filters.search || undefined,
    upgrade_type: type === PACKAGE || type === IMAGE ? type : undefined,
    page,
    limit,
  };
  return call(sdk.listFirmware({ query, signal }));
}

/** Files of one upgrade type; a choice's note says of whose signature it is, '' for one that is trusted. */
export async function findFiles(type: number, search: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const query = { upgrade_type: type, search: search || undefined, page: 1, limit: MAX_CHOICES };
  const { rows } = await call(sdk.listFirmware({ query, signal }));
  return rows.map(fileChoice);
}

export function fileChoice(row: Pick<FileRow, 'id' | 'name' | 'version' | 'version_text'> & Partial<FileRow>): Choice {
  const { id, name, version, version_text, trusted = true } = row;
  return { value: String(id), label: `${name} ${version_text} (${version})`, note: trusted ? '' : 'untrusted' };
}

export async function uploadFirmware(
  file: File,
  options: { signal: AbortSignal; onShare: (share: number) => void },
): Promise<FileRow> {
  const path: UploadFirmwareData['url'] = '/api/v1/firmware/file';
  return uploadFile<FileRow>(`${path}${stringifySearch({ file_name: file.name })}`, file, options);
}

export async function deleteFile(id: number): Promise<void> {
  await call(sdk.deleteFirmware({ path: { firmware_id: id } }));
}

export function keysQuery() {
  return queryOptions({
    queryKey: KEYS,
    queryFn: async ({ signal }): Promise<readonly KeyRow[]> => (await call(sdk.listFirmwareKeys({ signal }))).rows,
    meta: { errorInPlace: true },
  });
}

export async function loadKeys(_request: ListRequest, signal: AbortSignal): Promise<Page<KeyRow>> {
  const { rows } = await call(sdk.listFirmwareKeys({ signal }));
  return { rows, total: rows.length };
}

export const addKey = (body: KeyBody): Promise<KeyRow> => call(sdk.addFirmwareKey({ body }));

export async function deleteKey(id: number): Promise<void> {
  await call(sdk.deleteFirmwareKey({ path: { firmware_key: id } }));
}

/** Gateways that take firmware, for a picker; a choice's value is the gateway's number. */
export async function findGateways(search: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const query = { search: search || undefined, takes_firmware: true, page: 1, limit: MAX_CHOICES };
  const { rows } = await call(sdk.listFirmwareGateways({ query, signal }));
  return rows.map(gatewayChoice);
}

export function projectsQuery() {
  return queryOptions({
    queryKey: PROJECTS,
    queryFn: async ({ signal }): Promise<readonly ProjectRow[]> =>
      (await call(sdk.listFirmwareProjects({ signal }))).rows,
    meta: { errorInPlace: true },
  });
}

export async function loadProjects(_request: ListRequest, signal: AbortSignal): Promise<Page<ProjectRow>> {
  const { rows } = await call(sdk.listFirmwareProjects({ signal }));
  return { rows, total: rows.length };
}

const isName = (text: string | undefined): boolean => /^[1-9][0-9]{0,8}$/.test(text ?? '');

export function loadLog({ filters, span, page, limit }: ListRequest, signal: AbortSignal): Promise<Page<UpgradeRow>> {
  const state = UPGRADE_STATES.find((each) => each === filters.state);
  const query = {
    search: filters.search || undefined,
    plan_name: isName(filters.plan_name) ? Number(filters.plan_name) : undefined,
    upgrade_state: state === undefined ? [] : [state],
    from_ms: span.start_ms,
    to_ms: span.end_ms,
    page,
    limit,
  };
  return call(sdk.listFirmwareUpgrades({ query, signal }));
}

/** All that the filters leave, the newest first, up to a limit that a spreadsheet opens at once. */
export async function loadAllLog(request: ListRequest): Promise<readonly UpgradeRow[]> {
  const rows: UpgradeRow[] = [];
  const { signal } = new AbortController();
  for (let page = 1; rows.length < MAX_EXPORTED; page += 1) {
    const part = await loadLog({ ...request, page, limit: EXPORTED_AT_ONCE }, signal);
    rows.push(...part.rows);
    if (part.rows.length < EXPORTED_AT_ONCE) break;
  }
  return rows;
}

/** An attempt of which something is still to come by itself. */
export function isUnderWay({ ordered_ms, ended_ms }: Pick<UpgradeRow, 'ordered_ms' | 'ended_ms'>): boolean {
  return ordered_ms !== null && ended_ms === null;
}

/** The history of one gateway. */
export function historyQuery(device: number, page: number, limit: number) {
  return queryOptions({
    queryKey: [...UPGRADES, device, page, limit],
    queryFn: ({ signal }): Promise<Page<UpgradeRow>> =>
      call(sdk.listFirmwareUpgrades({ query: { device_id: device, page, limit }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.rows.some(isUnderWay) ? MOVING_MS : false),
    meta: { errorInPlace: true },
  });
}
