import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  Assigned,
  CampaignCounts,
  CampaignPreview,
  DeviceRow,
  Job,
  MoveBody,
  ProjectBody,
  ProjectChange,
  ProjectNode,
  ProjectTree,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { ListRequest, Page } from '@/components/resource/resource';

export type { Assigned, CampaignCounts, CampaignPreview, DeviceRow, ProjectBody, ProjectNode, ProjectTree };

export const PROJECTS = ['project'] as const;
export const DEVICES = ['device', 'project'] as const;

/** Statuses are not pushed for whole trees. */
const TREE_REFETCH_MS = 30_000;

/** As project_id of a list: in no project. */
export const NO_PROJECT = 0;

export const treeQuery = queryOptions({
  queryKey: PROJECTS,
  queryFn: ({ signal }) => call(sdk.listProjects({ signal })),
  refetchInterval: TREE_REFETCH_MS,
});

export function addProject(body: ProjectBody): Promise<ProjectNode> {
  return call(sdk.addProject({ body }));
}

export function changeProject(id: number, body: ProjectChange): Promise<ProjectNode> {
  return call(sdk.changeProject({ path: { project_id: id }, body }));
}

export function moveProject(id: number, body: MoveBody): Promise<ProjectNode> {
  return call(sdk.moveProject({ path: { project_id: id }, body }));
}

/** moveTo: what takes what it holds; 0 for the top, or no project. */
export async function deleteProject(id: number, moveTo?: number): Promise<void> {
  await call(sdk.deleteProject({ path: { project_id: id }, query: { move_to: moveTo } }));
}

/** projectId: with everything below it, NO_PROJECT, or undefined for all. */
export function loadDevices(
  projectId: number | undefined,
  { page, limit, filters, sortBy }: ListRequest,
  signal: AbortSignal,
): Promise<Page<DeviceRow>> {
  const query = {
    page,
    limit,
    sort: sortBy,
    project_id: projectId,
    search: filters.search || undefined,
    status: filters.status || undefined,
  };
  return call(sdk.listDevices({ query, signal }));
}

export function assignDevices(projectId: number | null, deviceIds: readonly number[]): Promise<Assigned> {
  return call(sdk.assignDevices({ body: { project_id: projectId, device_ids: [...deviceIds] } }));
}

export function previewQuery(id: number) {
  return queryOptions({
    queryKey: [...PROJECTS, id, 'campaign'],
    queryFn: ({ signal }) => call(sdk.previewCampaign({ path: { project_id: id }, signal })),
    gcTime: 0,
  });
}

export interface Wanted {
  canary: number;
  atOnce: number;
  /** Percent. */
  errorShare: number;
  wait: boolean;
}

export function startCampaign(
  kind: 'deploy' | 'reboot',
  id: number,
  { canary, atOnce, errorShare, wait }: Wanted,
): Promise<Job> {
  const query = { error_share: errorShare / 100, wait };
  const path = { project_id: id };
  return kind === 'deploy'
    ? call(sdk.deployProject({ path, query: { ...query, canary } }))
    : call(sdk.rebootProject({ path, query: { ...query, at_once: atOnce } }));
}
