import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { gathered, onJob, onResume } from '@/lib/live';
import { jobQuery, JOBS } from './jobs';
import type { JobDetail } from './jobs';

interface Following {
  job: JobDetail | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** A job as it stands now; undefined without an id, and before the first answer. */
export function useJob(id: number | null): Following {
  const cache = useQueryClient();
  const { data, error, refetch } = useQuery({ ...jobQuery(id ?? 0), enabled: id !== null });
  useEffect(() => {
    if (id === null) return undefined;
    const key = jobQuery(id).queryKey;
    const { ask, stop } = gathered(() => void cache.invalidateQueries({ queryKey: key }));
    const leave = [
      onJob((push) => {
        if (push.id !== id) return;
        cache.setQueryData(key, (known) => known && { ...known, done: push.done, total: push.total });
        ask();
      }),
      onResume(ask),
      stop,
    ];
    return () => {
      for (const each of leave) each();
    };
  }, [cache, id]);
  return { job: data, error, refetch };
}

/** Lists of jobs are fetched anew when one of the user's changes. */
export function useJobs(): void {
  const cache = useQueryClient();
  useEffect(() => {
    const { ask, stop } = gathered(() => void cache.invalidateQueries({ queryKey: JOBS }));
    const leave = [onJob(ask), onResume(ask), stop];
    return () => {
      for (const each of leave) each();
    };
  }, [cache]);
}
