import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { deleteJob, downloadJob, JOBS, sizeText } from './jobs';
import type { JobDetail } from './jobs';
import { JobState } from './JobState';
import classes from './jobs.module.css';

/** A job in one line: how far it is, a way to end it, and its file when it is there. onDownloaded: the user has it. */
export function JobProgress({ job, onDownloaded }: { job: JobDetail; onDownloaded?: () => void }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const end = useMutation({
    mutationFn: () => deleteJob(job.id),
    onSettled: () => void cache.invalidateQueries({ queryKey: JOBS }),
  });
  const get = useMutation({ mutationFn: () => downloadJob(job), onSuccess: () => onDownloaded?.() });
  const isRunning = job.state === 'generating';
  return (
    <Group gap="sm" className={classes.line} data-testid="job" data-state={job.state} role="status">
      <JobState job={job} />
      {isRunning ? (
        <Button
          variant="default"
          size="compact-sm"
          loading={end.isPending}
          disabled={job.cancelling}
          onClick={() => end.mutate()}
          data-testid="job-cancel"
        >
          {t('base:job.cancel')}
        </Button>
      ) : null}
      {job.state === 'completed' && job.file_name !== '' ? (
        <Button size="compact-sm" loading={get.isPending} onClick={() => get.mutate()} data-testid="job-download">
          {t('base:job.download', { size: sizeText(job.size) })}
        </Button>
      ) : null}
    </Group>
  );
}
