import { ActionIcon, Tooltip } from '@mantine/core';
import { IconDownload, IconExternalLink } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { deleteJob, downloadJob, JOBS, sizeText } from '@/blocks/jobs/jobs';
import type { Job } from '@/blocks/jobs/jobs';
import { JobState } from '@/blocks/jobs/JobState';
import { useJobs } from '@/blocks/jobs/useJob';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { useGo } from '@/lib/navigation';
import { formatDateTime } from '@/lib/time';
import { KINDS, loadJobs, pageOf, STATES } from '../api';

/** What the platform made, or is making, for the user: exports, imports, campaigns. */
export default function FileList(): ReactElement {
  useJobs();
  return <ResourcePage resource={useFiles()} />;
}

function useFiles(): Resource<Job> {
  const { t } = useTranslation();
  const go = useGo();
  const { mutate: download } = useMutation({ mutationFn: downloadJob });
  return useMemo(() => {
    const kind = (row: Job): string =>
      (KINDS as readonly string[]).includes(row.kind) ? t(`files:kind.${row.kind}`) : row.kind;
    const name = (row: Job): string => row.file_name || row.title || kind(row);
    const time = (ms: number | null): string => (ms === null ? '–' : formatDateTime(ms));
    const isDone = (row: Job): boolean => row.state !== 'generating';
    return {
      name: 'files',
      title: t('files:title'),
      queryKey: JOBS,
      load: loadJobs,
      rowId: (row) => row.id,
      columns: [
        { id: 'name', title: t('files:column.name'), cell: name, text: name, fixed: true, card: 'title' },
        { id: 'kind', title: t('files:column.kind'), cell: kind, text: kind, card: 'fact' },
        {
          id: 'state',
          title: t('files:column.state'),
          cell: (row) => <JobState job={row} />,
          text: (row) => t(`files:state.${row.state}`),
          card: 'mark',
        },
        {
          id: 'size',
          title: t('files:column.size'),
          align: 'right',
          card: 'fact',
          cell: (row) => <span className="number">{row.file_name === '' ? '–' : sizeText(row.size)}</span>,
          text: (row) => String(row.size),
        },
        {
          id: 'created',
          title: t('files:column.created'),
          cell: (row) => <span className="number">{time(row.created_ms)}</span>,
          text: (row) => time(row.created_ms),
        },
        {
          id: 'expires',
          title: t('files:column.expires'),
          card: 'fact',
          cell: (row) => <span className="number">{time(row.expires_ms)}</span>,
          text: (row) => time(row.expires_ms),
        },
        { id: 'user', title: t('files:column.user'), cell: (row) => row.user_name, text: (row) => row.user_name },
      ],
      filters: [
        {
          kind: 'select',
          name: 'state',
          label: t('files:column.state'),
          options: STATES.map((value) => ({ value, label: t(`files:state.${value}`) })),
        },
        {
          kind: 'select',
          name: 'whose',
          label: t('files:whose.mine'),
          options: [{ value: 'all', label: t('files:whose.all') }],
        },
      ],
      rowActions: (row) => (
        <>
          {row.state === 'completed' && row.file_name !== '' ? (
            <Tooltip label={t('files:download')}>
              <ActionIcon
                variant="subtle"
                onClick={() => download(row)}
                aria-label={t('files:downloadOf', { name: name(row) })}
                data-testid="file-download"
              >
                <IconDownload size={16} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          ) : null}
          {pageOf(row) === null ? null : (
            <Tooltip label={t('files:follow')}>
              <ActionIcon
                variant="subtle"
                color="gray"
                onClick={() => {
                  const page = pageOf(row);
                  if (page !== null) go(page.path, page.search);
                }}
                aria-label={t('files:followOf', { name: name(row) })}
                data-testid="file-follow"
              >
                <IconExternalLink size={16} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          )}
        </>
      ),
      remove: {
        what: name,
        call: (row) => deleteJob(row.id),
        impact: (row) => (isDone(row) ? t('files:impact.done') : t('files:impact.running')),
        whyNot: (row) => (row.cancelling && !isDone(row) ? t('files:cancelling') : ''),
      },
      empty: { title: t('files:none'), text: t('files:noneText') },
    };
  }, [t, go, download]);
}
