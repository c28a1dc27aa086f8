import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  ConfigurationDifference,
  ConfigurationState,
  DeployBody,
  DeploymentDetail,
  DeploymentRef,
  DeploymentStatus,
  DeploymentTask,
  Version,
  VersionDocument,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { ListRequest, Page } from '@/components/resource/resource';
import { isFinal } from './deployment';

export type {
  ConfigurationDifference,
  ConfigurationState,
  DeployBody,
  DeploymentDetail,
  DeploymentStatus,
  DeploymentTask,
  Version,
};
export type Document = VersionDocument['document'];

/** Pushes come at once; these only heal what a push may have missed. */
const STATE_REFETCH_MS = 30_000;
const STEP_REFETCH_MS = 3_000;
/** Rows of each list of a difference; the counts are always whole. */
export const DIFFERENCE_ROWS = 5_000;
/** Versions that are known by author and note wherever one is named. */
export const NAMED_VERSIONS = 100;

export function configurationQuery(deviceId: number, page = 1, limit = NAMED_VERSIONS) {
  return queryOptions({
    queryKey: ['configuration', deviceId, page, limit],
    queryFn: ({ signal }) =>
      call(sdk.getConfiguration({ path: { device_id: deviceId }, query: { page, limit }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: STATE_REFETCH_MS,
  });
}

export function deploymentsQuery(deviceId: number, page: number, limit: number) {
  return queryOptions({
    queryKey: ['deployments', deviceId, page, limit],
    queryFn: ({ signal }) =>
      call(sdk.listDeployments({ path: { device_id: deviceId }, query: { page, limit }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: STATE_REFETCH_MS,
  });
}

export function deploymentQuery(id: string) {
  return queryOptions({
    queryKey: ['deployment', id],
    queryFn: ({ signal }) => call(sdk.getDeployment({ path: { deployment_id: id }, signal })),
    refetchInterval: ({ state }) => (state.data !== undefined && isFinal(state.data.state) ? false : STEP_REFETCH_MS),
  });
}

/** Versions never change, and neither does what lies between two. */
export function differenceQuery(deviceId: number, before: string, after: string, limit = DIFFERENCE_ROWS) {
  return queryOptions({
    queryKey: ['difference', deviceId, before, after, limit],
    queryFn: ({ signal }) =>
      call(
        sdk.compareConfigurations({ path: { device_id: deviceId }, query: { from: before, to: after, limit }, signal }),
      ),
    staleTime: Infinity,
  });
}

export function documentQuery(deviceId: number, hash: string) {
  return queryOptions({
    queryKey: ['configuration-document', deviceId, hash],
    queryFn: ({ signal }) => call(sdk.getConfigurationVersion({ path: { device_id: deviceId, hash }, signal })),
    staleTime: Infinity,
    gcTime: 60_000,
  });
}

/** The gateway's own judgement of a version over what it runs. Asked once for each time that somebody looks. */
export function checkQuery(deviceId: number, hash: string, running: string | null) {
  return queryOptions({
    queryKey: ['configuration-check', deviceId, hash, running],
    queryFn: () => check(deviceId, hash),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
}

export async function saveDraft(
  deviceId: number,
  document: Document,
  base: string | null,
  note: string,
): Promise<Version> {
  return call(sdk.saveDraft({ path: { device_id: deviceId }, body: { document, base, note } }));
}

export async function discardDraft(deviceId: number): Promise<void> {
  await call(sdk.discardDraft({ path: { device_id: deviceId } }));
}

/** Tell the gateway to end the trial and go back. */
export async function revert(deploymentId: string): Promise<void> {
  await call(sdk.revertDeployment({ path: { deployment_id: deploymentId } }));
}

/** Send it no more, and wait for it no longer. */
export async function cancel(deploymentId: string): Promise<void> {
  await call(sdk.cancelDeployment({ path: { deployment_id: deploymentId } }));
}

export async function check(deviceId: number, hash: string): Promise<DeploymentDetail> {
  return call(sdk.checkConfiguration({ path: { device_id: deviceId }, body: { hash } }));
}

export async function deploy(deviceId: number, body: DeployBody): Promise<DeploymentRef> {
  return call(sdk.deploy({ path: { device_id: deviceId }, body }));
}

export const TASKS = ['deployments'] as const;

export function loadTasks({ filters, page, limit }: ListRequest, signal: AbortSignal): Promise<Page<DeploymentTask>> {
  const open = filters.open === 'true' || filters.open === 'false' ? filters.open === 'true' : undefined;
  return call(sdk.listAllDeployments({ query: { search: filters.search || undefined, open, page, limit }, signal }));
}
