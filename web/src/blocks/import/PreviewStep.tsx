import { Alert, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/errors';
import { datedName, saveBlob } from '@/components/clipboard';
import { JobProgress } from '../jobs/JobProgress';
import { useJob } from '../jobs/useJob';
import { errorText } from '@/components/notices';
import { refusalText } from '@/components/refusal';
import { Trouble } from '@/components/Trouble';
import type { ImportEndpoints, ImportPreview } from './endpoints';
import type { RowKind, SheetKind } from './mapping';
import classes from './import.module.css';
import { ImportRows } from './ImportRows';
import { templateCountsOf, nothingKey, ROW_KINDS, SHEET_KINDS } from './mapping';

interface Props {
  id: string;
  jobId: number;
  endpoints: ImportEndpoints;
  onBack: () => void;
  onApplied: (jobId: number) => void;
}

/** What would change, row by row and cell by cell; nothing has been changed yet. */
export function PreviewStep({ id, jobId, endpoints, onBack, onApplied }: Props): ReactElement {
  const { t, i18n } = useTranslation();
  const cache = useQueryClient();
  const { job, error: lost, refetch: follow } = useJob(jobId);
  const isDone = job?.state === 'completed';
  const {
    data: state,
    error: unread,
    refetch: read,
  } = useQuery({
    queryKey: ['import', id, jobId],
    queryFn: () => endpoints.state(id),
    enabled: isDone,
    meta: { errorInPlace: true },
  });
  const preview = state?.preview ?? null;
  const [skips, setSkips] = useState(false);
  const wrong = preview === null ? 0 : sum(preview, 'wrong');
  const changes =
    preview === null
      ? 0
      : ROW_KINDS.filter((kind) => kind !== 'wrong').reduce((all, kind) => all + sum(preview, kind), 0);
  const going = preview?.removed_devices ?? 0;
  const [count, setCount] = useState('');
  const isConfirmed = going === 0 || (wrong === 0 && count.trim() === String(going));
  const apply = useMutation({
    meta: { errorInPlace: true },
    mutationFn: () => endpoints.apply(id, preview?.id ?? '', skips, going),
    onSuccess: (made) => onApplied(made.id),
    onError: (error) => {
      if (error instanceof ApiError && error.facts.reason === 'import.other_preview')
        void cache.invalidateQueries({ queryKey: ['import', id] });
    },
  });
  const errors = useMutation({
    mutationFn: () => endpoints.errors(id, i18n.language === 'en' ? 'en' : 'zh'),
    onSuccess: (blob) => saveBlob(datedName(t('base:import.fileOf.errors'), 'xlsx'), blob),
  });
  return (
    <Stack gap="md">
      {job !== undefined || lost === null ? null : <Trouble error={lost} onRetry={() => void follow()} />}
      {state !== undefined || unread === null ? null : <Trouble error={unread} onRetry={() => void read()} />}
      {job === undefined || isDone ? null : <JobProgress job={job} />}
      {preview === null || state === undefined ? null : (
        <Results preview={preview} id={id} columns={state.columns} endpoints={endpoints} />
      )}
      {going === 0 ? null : <Removal going={going} hasWrong={wrong > 0} count={count} onCount={setCount} />}
      {wrong === 0 ? null : (
        <Group justify="space-between">
          <Checkbox
            disabled={going > 0}
            checked={skips}
            onChange={(event) => setSkips(event.currentTarget.checked)}
            label={t('base:import.skip', { count: wrong })}
            data-testid="import-skip"
          />
          <Button
            variant="default"
            size="compact-sm"
            loading={errors.isPending}
            onClick={() => errors.mutate()}
            data-testid="import-errors"
          >
            {t('base:import.errors')}
          </Button>
        </Group>
      )}
      <div role="alert">
        {apply.error === null ? null : (
          <Text size="sm" c="red">
            {refusalText(apply.error) ?? errorText(apply.error)}
          </Text>
        )}
      </div>
      <Group justify="space-between">
        <Button variant="default" onClick={onBack} disabled={job?.state === 'generating' || apply.isPending}>
          {t('base:import.back')}
        </Button>
        <Button
          onClick={() => apply.mutate()}
          loading={apply.isPending}
          disabled={changes === 0 || (wrong > 0 && !skips) || !isConfirmed}
          color={going === 0 ? undefined : 'red'}
          data-testid="import-apply"
        >
          {t('base:import.apply')}
        </Button>
      </Group>
    </Stack>
  );
}

/** Gateways that go are named in the rows; their number is typed before anything is done. */
function Removal({
  going,
  hasWrong,
  count,
  onCount,
}: {
  going: number;
  hasWrong: boolean;
  count: string;
  onCount: (count: string) => void;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <Alert color="red" data-testid="import-removal" data-count={going}>
      <Text size="sm">{t('base:import.removal.going', { count: going })}</Text>
      {hasWrong ? (
        <Text size="sm" mt="xs">
          {t('base:import.removal.noneWrong')}
        </Text>
      ) : (
        <TextInput
          mt="xs"
          label={t('base:import.removal.confirmCount', { count: going })}
          value={count}
          onChange={(event) => onCount(event.currentTarget.value)}
          inputMode="numeric"
          autoComplete="off"
          w={220}
          data-testid="import-removal-count"
        />
      )}
    </Alert>
  );
}

/** How much of it no row of the file says, but the gateway templates that rows name. */
function FromTemplates({ preview }: { preview: ImportPreview }): ReactElement | null {
  const { t } = useTranslation();
  const sheets = templateCountsOf(preview);
  if (sheets.length === 0) return null;
  const parts = sheets.map(({ sheet, counts }) => {
    const summary = counts.map(({ kind, count }) => `${t(`base:import.kind.${kind}`).toLowerCase()} ${count}`);
    return t('base:import.byTemplate.part', {
      sheet: t(`base:import.sheet.${sheet}`),
      counts: summary.join(t('base:import.byTemplate.and')),
    });
  });
  return (
    <Text span size="sm" c="dimmed" ms="md" data-testid="import-by-template">
      {t('base:import.byTemplate.brought', { parts: parts.join(t('base:import.byTemplate.then')) })}
    </Text>
  );
}

function sum(preview: ImportPreview, kind: RowKind): number {
  return SHEET_KINDS.reduce((all, sheet) => all + (preview.counts[sheet]?.[kind] ?? 0), 0);
}

interface ResultsProps {
  preview: ImportPreview;
  id: string;
  columns: Parameters<typeof ImportRows>[0]['columns'];
  endpoints: ImportEndpoints;
}

function Results({ preview, id, columns, endpoints }: ResultsProps): ReactElement {
  const { t } = useTranslation();
  const first = sum(preview, 'wrong') > 0 ? 'wrong' : '';
  const [kind, setKind] = useState<RowKind | ''>(first);
  const [sheet, setSheet] = useState<SheetKind | ''>('');
  return (
    <>
      <Text size="sm">
        <span data-testid="import-summary">
          {t('base:import.summary', {
            gateways: preview.gateways,
            created: preview.new_devices,
            unchanged: preview.unchanged,
          })}
        </span>
        <FromTemplates preview={preview} />
      </Text>
      <Group gap="xs" role="group" aria-label={t('base:import.filter')}>
        {(['', ...ROW_KINDS] as const).map((each) => (
          <button
            key={each}
            type="button"
            className={classes.kind}
            aria-pressed={kind === each}
            data-kind={each}
            onClick={() => setKind(each)}
            data-testid={`import-kind-${each === '' ? 'all' : each}`}
          >
            {t(`base:import.kind.${each === '' ? 'all' : each}`)}{' '}
            <b className="number">
              {each === '' ? ROW_KINDS.reduce((all, one) => all + sum(preview, one), 0) : sum(preview, each)}
            </b>
          </button>
        ))}
      </Group>
      <Group gap="xs" role="group" aria-label={t('base:import.filterSheet')}>
        {(['', ...SHEET_KINDS.filter((each) => preview.counts[each] !== undefined)] as const).map((each) => (
          <button
            key={each}
            type="button"
            className={classes.kind}
            aria-pressed={sheet === each}
            onClick={() => setSheet(each)}
          >
            {each === '' ? t('base:import.kind.all') : t(`base:import.sheet.${each}`)}
          </button>
        ))}
      </Group>
      <ImportRows
        key={`${kind}.${sheet}`}
        id={id}
        kind={kind}
        sheet={sheet}
        columns={columns}
        endpoints={endpoints}
        nothing={t(nothingKey(preview))}
      />
    </>
  );
}
