import { useEffect, useEffectEvent } from 'react';
import type { ReactElement } from 'react';
import { JobProgress } from '../jobs/JobProgress';
import { useJob } from '../jobs/useJob';

/** An export that is a job, from its beginning to its file. onEnd: it runs no more, or nobody can tell. */
export default function ExportJob({ id, onEnd }: { id: number; onEnd: () => void }): ReactElement | null {
  const { job, error } = useJob(id);
  const hasEnded = job === undefined ? error !== null : job.state !== 'generating';
  const ended = useEffectEvent(onEnd);
  useEffect(() => {
    if (hasEnded) ended();
  }, [hasEnded]);
  return job === undefined ? null : <JobProgress job={job} />;
}
