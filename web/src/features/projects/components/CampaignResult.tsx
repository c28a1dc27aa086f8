import { Drawer, Stack } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { JobProgress } from '@/blocks/jobs/JobProgress';
import type { JobDetail } from '@/blocks/jobs/jobs';
import { useJob } from '@/blocks/jobs/useJob';
import { useCampaignWords } from '@/blocks/jobs/useCampaignWords';
import { PageSkeleton } from '@/components/PageSkeleton';
import { DataTable, DIALOG_TABLE_PX } from '@/components/table/DataTable';
import { READY } from '@/components/table/columns';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { Trouble } from '@/components/Trouble';
import { campaignOf, toneOf } from '@/blocks/jobs/campaign';
import type { CampaignRow } from '@/blocks/jobs/campaign';
import classes from '../projects.module.css';

const rowId = (row: CampaignRow): number => row.device_id;
const NONE: readonly CampaignRow[] = [];

/** A campaign while it goes on, and what became of every gateway. */
export default function CampaignResult({ jobId, onClose }: { jobId: number; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const { job, error, refetch } = useJob(jobId);
  const campaign = useMemo(() => campaignOf(job?.summary ?? null), [job?.summary]);
  const columns = useColumns();
  const words = useCampaignWords();
  return (
    <Drawer opened onClose={onClose} title={titleOf(job, t)} size={760} data-testid="campaign-result">
      {job === undefined ? (
        error === null ? (
          <PageSkeleton />
        ) : (
          <Trouble error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Stack gap="md">
          <JobProgress job={job} />
          <ul className={classes.counts}>
            {[...(campaign?.counts ?? [])].map(([step, count]) => (
              <li key={step}>
                <ToneText tone={toneOf(step)}>
                  {t('projects:campaign.stepCount', { step: words.step(step), count })}
                </ToneText>
              </li>
            ))}
          </ul>
          <DataTable
            name="campaign"
            label={t('projects:campaign.result')}
            columns={columns}
            rows={campaign?.rows ?? NONE}
            rowId={rowId}
            query={READY}
            virtual
            height={DIALOG_TABLE_PX}
          />
        </Stack>
      )}
    </Drawer>
  );
}

function titleOf(job: JobDetail | undefined, t: TFunction): string {
  if (job?.kind === 'project_deploy') return t('projects:campaign.deploy', { title: job.title });
  if (job?.kind === 'project_reboot') return t('projects:campaign.reboot', { title: job.title });
  return job?.title ?? t('projects:campaign.result');
}

function useColumns(): readonly Column<CampaignRow>[] {
  const { t } = useTranslation();
  const { step, why } = useCampaignWords();
  return useMemo(() => {
    return [
      {
        id: 'title',
        title: t('projects:device.title'),
        cell: (row) => row.device_title,
        text: (row) => row.device_title,
        fixed: true,
        card: 'title',
      },
      {
        id: 'sn',
        title: t('projects:device.sn'),
        cell: (row) => row.gateway_id,
        text: (row) => row.gateway_id,
        width: 170,
        card: 'fact',
      },
      {
        id: 'step',
        title: t('projects:campaign.step'),
        width: 120,
        card: 'mark',
        cell: (row) => <ToneText tone={toneOf(row.step)}>{step(row.step)}</ToneText>,
        text: (row) => step(row.step),
      },
      { id: 'why', title: t('projects:campaign.why'), cell: why, text: why, width: 220, card: 'fact' },
    ];
  }, [t, step, why]);
}
