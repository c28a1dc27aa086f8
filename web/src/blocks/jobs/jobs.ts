import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { Job, JobDetail } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import { saveBlob } from '@/components/clipboard';

export type { Job, JobDetail };

/** Pushes tell of changes; who has missed one sees it so. */
export const JOB_REFETCH_MS = 5000;

export const JOBS = ['job'] as const;

/** How a job stands. It is asked for as long as it has not ended. */
export function jobQuery(id: number) {
  return queryOptions({
    queryKey: [...JOBS, id],
    queryFn: ({ signal }) => call(sdk.getJob({ path: { job_id: id }, signal })),
    refetchInterval: ({ state }) =>
      state.data?.state === 'generating' || state.data === undefined ? JOB_REFETCH_MS : false,
  });
}

/** End a job that is not done; forget one that is, with its file. */
export async function deleteJob(id: number): Promise<void> {
  await call(sdk.deleteJob({ path: { job_id: id } }));
}

/** Offer the file that a job made. */
export async function downloadJob({ id, file_name }: Pick<Job, 'id' | 'file_name'>): Promise<void> {
  const { data, error, response } = await sdk.getJobFile({ path: { job_id: id }, parseAs: 'blob' });
  if ((data as unknown) instanceof Blob) return saveBlob(file_name, data as unknown as Blob);
  await call(Promise.resolve({ error, response }));
  throw new Error('the answer is no file');
}

/** Share of the work that is done, 0 to 100; null while nobody knows. */
export function percentOf({ state, done, total }: Pick<Job, 'state' | 'done' | 'total'>): number | null {
  if (state === 'completed') return 100;
  return total === 0 ? null : Math.min(100, Math.floor((done * 100) / total));
}

const UNITS = ['B', 'KB', 'MB', 'GB'] as const;

/** A size in the unit that it is read in: 3.4 MB. */
export function sizeText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${UNITS[power]}`;
}
