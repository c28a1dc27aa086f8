import * as sdk from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import type { Job } from '@/blocks/jobs/jobs';
import type { ListRequest, Page } from '@/components/resource/resource';

export const STATES = ['generating', 'completed', 'failed', 'cancelled'] as const;

/** Kinds of jobs that this portal has words for. */
export const KINDS = [
  'project_deploy',
  'parameter_plan',
  'project_reboot',
  'device_export',
  'import_apply',
  'history.export',
  'template.apply',
] as const;

/** Kinds that are followed on a page of their own. */
const PAGES: Readonly<Record<string, string>> = { project_deploy: '/group/index', project_reboot: '/group/index' };

export function loadJobs({ page, limit, filters }: ListRequest, signal: AbortSignal): Promise<Page<Job>> {
  const state = STATES.find((each) => each === filters.state);
  return call(sdk.listJobs({ query: { page, limit, state, everybody: filters.whose === 'all' }, signal }));
}

/** Where a job is followed; null for one that has no page but its row. */
export function pageOf({ id, kind }: Pick<Job, 'id' | 'kind'>): { path: string; search: { job: number } } | null {
  const path = PAGES[kind];
  return path === undefined ? null : { path, search: { job: id } };
}
