import { useEffect, useEffectEvent } from 'react';
import type { ReactElement } from 'react';
import { JobProgress } from '../jobs/JobProgress';
import { useJob } from '../jobs/useJob';

interface Props {
  id: number;
  /** It runs no more, or nobody can tell. */
  onEnd: () => void;
  /** Its file is there; nothing is left to show. */
  onDownloaded: () => void;
}

/** An export that is a job, from its beginning to its file. */
export default function ExportJob({ id, onEnd, onDownloaded }: Props): ReactElement | null {
  const { job, error } = useJob(id);
  const hasEnded = job === undefined ? error !== null : job.state !== 'generating';
  const ended = useEffectEvent(onEnd);
  useEffect(() => {
    if (hasEnded) ended();
  }, [hasEnded]);
  return job === undefined ? null : <JobProgress job={job} onDownloaded={onDownloaded} />;
}
