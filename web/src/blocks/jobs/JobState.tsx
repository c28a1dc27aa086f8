import { Progress } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { reasonText } from '@/components/refusal';
import { StatusBadge } from '@/components/StatusBadge';
import { ToneText } from '@/components/Tone';
import { percentOf } from './jobs';
import type { Job } from './jobs';
import classes from './jobs.module.css';

const CODES = [
  'failed',
  'interrupted',
  'user_gone',
  'no_permission',
  'canary',
  'no_canary',
  'error_share',
  'no_rows',
] as const;

/** Key of the words for why a job has failed; null for a code that has none here. */
export function jobCodeKey(code: string): string | null {
  return (CODES as readonly string[]).includes(code) ? `base:job.code.${code}` : null;
}

/** State of a job: how far it is, how it ended and why. */
export function JobState({ job }: { job: Job }): ReactElement {
  const { t } = useTranslation();
  if (job.state === 'generating') return <Running job={job} />;
  if (job.state === 'cancelled') return <ToneText tone="off">{t('base:job.cancelled')}</ToneText>;
  const key = jobCodeKey(job.code);
  const why = job.code === '' ? '' : key === null ? (reasonText(job.code) ?? (job.detail || job.code)) : t(key);
  return (
    <span>
      <StatusBadge kind="file" code={job.state} />
      {why === '' ? null : <span className={classes.why}>{why}</span>}
    </span>
  );
}

const DOING: Readonly<Record<string, string>> = { import_preview: 'comparing', import_apply: 'importing' };

/** Key of the words for what a running job does: an import makes no file, and stores everything at its end. */
export function doingKey({ kind, done, total }: Pick<Job, 'kind' | 'done' | 'total'>): string {
  const doing = DOING[kind];
  if (doing === undefined) return 'base:code.file.generating';
  return `base:job.doing.${kind === 'import_apply' && total > 0 && done >= total ? 'storing' : doing}`;
}

function Running({ job }: { job: Job }): ReactElement {
  const { t } = useTranslation();
  const percent = percentOf(job);
  const word = job.cancelling
    ? t('base:job.cancelling')
    : job.started_ms === null
      ? t('base:job.waiting')
      : t(doingKey(job));
  return (
    <span className={classes.running}>
      <span>{word}</span>
      <Progress value={percent ?? 0} animated size="sm" className={classes.bar} aria-label={word} />
      {percent === null ? null : (
        <span className="number">{t('base:job.of', { done: job.done, total: job.total })}</span>
      )}
    </span>
  );
}
