import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { JobProgress } from '@/blocks/jobs/JobProgress';
import { useJob } from '@/blocks/jobs/useJob';
import page from '@/components/page.module.css';
import { ScreenLink } from '@/components/ScreenLink';
import { Trouble } from '@/components/Trouble';
import { templatesKey } from './api';
import classes from './apply.module.css';
import { stateWords } from './stateWords';

interface ResultRow {
  device_id: number;
  device_title: string;
  state: string;
}

/** How far applying is, and what became of each gateway's draft. */
export function ApplyResult({ jobId, onClose }: { jobId: number; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { job, error, refetch } = useJob(jobId);
  const hasEnded = job !== undefined && job.state !== 'generating';
  useEffect(() => {
    if (hasEnded) void cache.invalidateQueries({ queryKey: templatesKey });
  }, [hasEnded, cache]);
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  const summary = (job?.summary ?? {}) as {
    changed?: number;
    unchanged?: number;
    refused?: number;
    rows?: readonly ResultRow[];
  };
  return (
    <div data-testid="apply-result" data-state={job?.state ?? ''}>
      {job === undefined ? null : <JobProgress job={job} />}
      <Text role="status" fw={600} my="sm">
        {job?.state === 'completed'
          ? t('templates:apply.done', {
              changed: summary.changed ?? 0,
              unchanged: summary.unchanged ?? 0,
              refused: summary.refused ?? 0,
            })
          : null}
      </Text>
      {(summary.rows ?? []).map((row) => (
        <Row key={row.device_id} row={row} />
      ))}
      {hasEnded ? <p>{t('templates:apply.next')}</p> : null}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose} data-testid="apply-close">
          {t('base:action.close')}
        </Button>
      </Group>
    </div>
  );
}

function Row({ row }: { row: ResultRow }): ReactElement {
  const { t } = useTranslation();
  return (
    <div className={classes.choice} data-testid="result-row" data-state={row.state}>
      <span />
      <ScreenLink
        path="/deviceDetail/index"
        search={{ device_id: row.device_id, tab: 'configuration' }}
        className={page.title}
      >
        {row.device_title || `#${row.device_id}`}
      </ScreenLink>
      <Text span size="sm">
        {stateWords(row.state, t)}
      </Text>
    </div>
  );
}
