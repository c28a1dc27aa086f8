import { Button, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { campaignOf, toneOf } from '@/blocks/jobs/campaign';
import type { CampaignRow } from '@/blocks/jobs/campaign';
import { JobProgress } from '@/blocks/jobs/JobProgress';
import { useCampaignWords } from '@/blocks/jobs/useCampaignWords';
import { useJob } from '@/blocks/jobs/useJob';
import { Paging } from '@/components/Paging';
import { ScreenLink } from '@/components/ScreenLink';
import { READY } from '@/components/table/columns';
import type { Column } from '@/components/table/columns';
import { DataTable, DIALOG_TABLE_PX } from '@/components/table/DataTable';
import { ToneText } from '@/components/Tone';
import { usePages, useStepBack } from '@/components/usePages';
import { formatDateTime } from '@/lib/time';
import { resultsQuery } from '../api';
import type { ParameterPlanResult, PlanRow } from '../api';
import { hasFailed, toneOfState } from '../model/results';
import type { Group } from '../model/schema';
import classes from '../parameters.module.css';
import { useResultWords } from '../useResultWords';
import { useWords } from '../useWords';

interface Props {
  plan: PlanRow;
  groups: readonly Group[];
  /** The run that is followed; null for none. */
  jobId: number | null;
  /** Some gateways are to be tried again. */
  onRetry: (devices: readonly number[]) => void;
}

/** How a run goes on, what each gateway said, and another try for those at which it failed. */
export function PlanResults({ plan, groups, jobId, onRetry }: Props): ReactElement {
  const { t } = useTranslation();
  const { job } = useJob(jobId);
  const campaign = useMemo(() => campaignOf(job?.summary ?? null), [job?.summary]);
  const pages = usePages();
  const query = useQuery(resultsQuery(plan.id, pages.page, pages.limit));
  useStepBack(pages, query);
  const columns = useResultColumns(groups);
  const rows = query.data?.rows ?? [];
  const isRunning = job?.state === 'generating';
  const failed =
    campaign === null
      ? rows.filter(({ state, code }) => hasFailed(state, code)).map(({ device_id: id }) => id)
      : campaign.rows.filter(({ step }) => step === 'failed' || step === 'not_begun').map(({ device_id: id }) => id);
  return (
    <Stack gap="md">
      {job === undefined ? null : <JobProgress job={job} />}
      {campaign === null ? null : <RunRows rows={campaign.rows} />}
      {failed.length === 0 || isRunning ? null : (
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          onClick={() => onRetry(failed)}
          style={{ alignSelf: 'start' }}
          data-testid="plan-retry"
        >
          {t('parameters:result.retry', { count: failed.length })}
        </Button>
      )}
      <div>
        <Text fw={600}>{t('parameters:result.title')}</Text>
        <Text size="sm" c="dimmed" mb="xs">
          {t('parameters:result.text')}
        </Text>
        <DataTable
          name="plan-results"
          label={t('parameters:result.title')}
          columns={columns}
          rows={rows}
          rowId={resultId}
          query={query}
          empty={{ title: t('parameters:result.none'), text: t('parameters:result.noneText') }}
        />
        <Paging pages={pages} total={query.data?.total ?? 0} label={t('parameters:result.title')} />
      </div>
    </Stack>
  );
}

/** Of a longer table only the rows in view are in the page. */
const MAX_PLAIN_ROWS = 100;

const resultId = (row: ParameterPlanResult): number => row.device_id;
const runId = (row: CampaignRow): number => row.device_id;

/** The gateways of a run, those that were left out too. */
function RunRows({ rows }: { rows: readonly CampaignRow[] }): ReactElement {
  const { t } = useTranslation();
  const columns = useRunColumns();
  return (
    <DataTable
      name="plan-run"
      label={t('parameters:result.run')}
      columns={columns}
      rows={rows}
      rowId={runId}
      query={READY}
      virtual={rows.length > MAX_PLAIN_ROWS}
      height={DIALOG_TABLE_PX}
    />
  );
}

function useRunColumns(): readonly Column<CampaignRow>[] {
  const { t } = useTranslation();
  const { step, why } = useCampaignWords();
  return useMemo<readonly Column<CampaignRow>[]>(
    () => [
      {
        id: 'title',
        title: t('parameters:column.title'),
        fixed: true,
        card: 'title',
        cell: (row) => row.device_title,
        text: (row) => row.device_title,
      },
      {
        id: 'step',
        title: t('parameters:result.step'),
        width: 130,
        card: 'mark',
        cell: (row) => <ToneText tone={toneOf(row.step)}>{step(row.step)}</ToneText>,
        text: (row) => step(row.step),
      },
      { id: 'why', title: t('parameters:result.why'), width: 300, card: 'fact', cell: why, text: why },
    ],
    [t, step, why],
  );
}

function useResultColumns(groups: readonly Group[]): readonly Column<ParameterPlanResult>[] {
  const { t } = useTranslation();
  const words = useWords();
  const result = useResultWords();
  return useMemo(() => {
    const state = (row: ParameterPlanResult): string =>
      row.state === 'unchanged' && row.deployment_id === '' ? '' : row.state;
    const conditions = ({ conditions: all }: ParameterPlanResult): string =>
      all
        .map(({ group, condition, reason }) =>
          [
            words.label(groups.find(({ name }) => name === group)?.title ?? { zh: group, en: group }),
            t(`parameters:condition.${condition}`, { defaultValue: condition }),
            reason === '' ? '' : words.reason(reason),
          ]
            .filter(Boolean)
            .join(' · '),
        )
        .join('\n');
    return [
      {
        id: 'title',
        title: t('parameters:column.title'),
        fixed: true,
        card: 'title',
        cell: (row) => (
          <>
            <ScreenLink path="/ota/device" search={{ gateway: row.device_id }} className={classes.title}>
              {row.device_title}
            </ScreenLink>
            <span className={classes.sub}>{row.gateway_id}</span>
          </>
        ),
        text: (row) => row.device_title,
      },
      {
        id: 'state',
        title: t('parameters:result.state'),
        card: 'mark',
        cell: (row) => (
          <>
            <ToneText tone={toneOfState(state(row), row.code)}>{result(state(row), row.code)}</ToneText>
            {row.detail === '' ? null : <span className={classes.sub}>{row.detail}</span>}
          </>
        ),
        text: (row) => result(state(row), row.code),
      },
      {
        id: 'conditions',
        title: t('parameters:result.conditions'),
        card: 'fact',
        cell: (row) =>
          row.conditions.length === 0 ? '-' : <span style={{ whiteSpace: 'pre-line' }}>{conditions(row)}</span>,
        text: conditions,
      },
      {
        id: 'version',
        title: t('parameters:plan.column.version'),
        align: 'right',
        cell: (row) => <span className="number">{row.version}</span>,
        text: (row) => String(row.version),
      },
      {
        id: 'time',
        title: t('parameters:result.time'),
        card: 'fact',
        cell: (row) => <span className="number">{formatDateTime(row.finished_ms ?? row.begun_ms)}</span>,
        text: (row) => formatDateTime(row.finished_ms ?? row.begun_ms),
      },
      {
        id: 'receipts',
        title: t('parameters:result.receipts'),
        card: 'fact',
        cell: (row) =>
          row.deployment_id === '' ? (
            '-'
          ) : (
            <ScreenLink
              path="/deviceDetail/index"
              search={{ device_id: row.device_id, tab: 'configuration', deployment: row.deployment_id }}
              data-testid="result-receipts"
            >
              {t('parameters:result.steps')}
            </ScreenLink>
          ),
      },
    ];
  }, [t, words, result, groups]);
}
