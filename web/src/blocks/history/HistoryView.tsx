import { Alert, Group, Loader } from '@mantine/core';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import type { CSSProperties, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { useSwitchWords } from '../live/useWords';
import { PageSkeleton } from '@/components/PageSkeleton';
import { formatDateTime } from '@/lib/time';
import { ScreenLink } from '@/components/ScreenLink';
import { Trouble } from '@/components/Trouble';
import classes from './history.module.css';
import { fileNameOf } from './fileName';
import { HistoryBar } from './HistoryBar';
import { HistoryChart } from './HistoryChart';
import { HistoryExport } from './HistoryExport';
import { HistoryFile } from './HistoryFile';
import { HistoryRetention } from './HistoryRetention';
import { MAX_SERIES, tableRows } from './series';
import { useHistory } from './useHistory';
import type { HistoryState } from './useHistory';
import { useHistoryData } from './useHistoryData';
import type { HistoryData } from './useHistoryData';
import { useSources } from './useSources';
import type { DeviceSource } from './useSources';

const HistoryTable = lazy(() => import('./HistoryTable'));

interface Props {
  /** The gateway whose points are offered first. */
  device: number | null;
  /** Points of no other gateway. */
  fixed?: boolean;
}

/** History of up to eight points as a chart and as a table, both of the same time. Its state is the page's address. */
export function HistoryView({ device, fixed = false }: Props): ReactElement {
  const history = useHistory(device, MAX_SERIES);
  const { sources, isLoading, error, retry } = useSources(history.devices);
  if (error !== null) return <Trouble error={error} onRetry={retry} />;
  return <Loaded sources={sources} isLoading={isLoading} history={history} device={device} fixed={fixed} />;
}

interface LoadedProps {
  sources: readonly DeviceSource[];
  /** Some gateways have not told their points yet. */
  isLoading: boolean;
  history: HistoryState;
  device: number | null;
  fixed: boolean;
}

function Loaded({ sources, isLoading, history, device, fixed }: LoadedProps): ReactElement {
  const { t } = useTranslation();
  const chosen = useMemo(() => chosenOf(history.points, sources), [history.points, sources]);
  const data = useHistoryData(history, chosen);
  useStepBack(history);
  return (
    <>
      <HistoryBar
        chosen={chosen}
        history={history}
        data={data}
        device={device}
        fixed={fixed}
        files={
          <>
            <HistoryFile
              load={data.loadSeries}
              chosen={chosen}
              isEmpty={chosen.length === 0 || data.isEmpty}
              name={fileNameOf(chosen, history.view)}
            />
            <HistoryRetention chosen={chosen} />
            <HistoryExport dsids={chosen.map(({ dsid }) => dsid)} span={history.span} />
          </>
        }
      />
      <div
        className={classes.refetching}
        data-on={data.isFetching}
        style={{ '--share': data.share } as CSSProperties}
      />
      {chosen.length === 0 && isLoading ? (
        <Loading />
      ) : chosen.length === 0 ? (
        <Empty title={t('base:history.choose')} text={t('base:history.chooseText')} />
      ) : (
        <>
          <NotStored chosen={chosen} />
          <Answer data={data} chosen={chosen} history={history} />
        </>
      )}
    </>
  );
}

/** Record mode of a point that is shown live and written nowhere. */
const LIVE_ONLY = 0;

/** Says of chosen points that nothing of them is stored: what there may be is of a time when it was. */
function NotStored({ chosen }: { chosen: readonly DeviceSource[] }): ReactElement | null {
  const { t } = useTranslation();
  const names = chosen.filter(({ record }) => record === LIVE_ONLY).map(({ ds_title }) => ds_title);
  if (names.length === 0) return null;
  return (
    <Alert color="yellow" role="note" data-testid="not-stored">
      {t('base:history.notStored', { names: names.join(', ') })}
    </Alert>
  );
}

interface AnswerProps {
  data: HistoryData;
  chosen: readonly DeviceSource[];
  history: HistoryState;
}

/** What the cloud answered, as a chart or as a table. */
function Answer({ data, chosen, history }: AnswerProps): ReactElement {
  const { t } = useTranslation();
  const words = useSwitchWords();
  const isChart = history.mode === 'chart';
  const { series, packed } = data;
  const rows = useMemo(() => (isChart ? [] : tableRows(chosen, series, words)), [isChart, chosen, series, words]);
  if (isChart && data.charted.length === 0)
    return <Empty title={t('base:history.noChart')} text={t('base:history.noChartText')} />;
  if (data.error !== null) return <Trouble error={data.error} onRetry={data.retry} />;
  if (data.isPending) return <Loading />;
  if (data.isEmpty) {
    return (
      <Empty
        title={t('base:history.nothing')}
        text={`${formatDateTime(history.span.start_ms)} – ${formatDateTime(history.span.end_ms)}. ${t('base:history.nothingText')}`}
        action={<WhereToLook device={chosen[0]?.deviceId} />}
      />
    );
  }
  if (isChart && packed !== undefined) {
    return (
      <HistoryChart
        chosen={data.charted}
        packed={packed}
        earlier={data.earlier}
        shiftMs={history.span.end_ms - history.span.start_ms}
        spans={data.spans}
        history={history}
      />
    );
  }
  return (
    <Suspense fallback={<PageSkeleton />}>
      <HistoryTable rows={rows} sources={chosen} bucketed={series.some((one) => one.width_ms > 0)} />
    </Suspense>
  );
}

/** Ways on from a period without data: when the gateway was online, and what was not collected. */
function WhereToLook({ device }: { device: number | undefined }): ReactElement | null {
  const { t } = useTranslation();
  if (device === undefined) return null;
  return (
    <Group gap={16} justify="center">
      {(['onoff', 'completeness'] as const).map((tab) => (
        <ScreenLink key={tab} path="/deviceDetail/index" search={{ device_id: device, tab }}>
          {t(`base:history.see.${tab}`)}
        </ScreenLink>
      ))}
    </Group>
  );
}

/** Chosen points in their order; without a choice the first numeric one. */
export function chosenOf(points: readonly number[] | undefined, sources: readonly DeviceSource[]): DeviceSource[] {
  if (points === undefined) return sources.filter(({ ds_type }) => ds_type === 'num').slice(0, 1);
  return points.map((dsid) => sources.find((source) => source.dsid === dsid)).filter((source) => source !== undefined);
}

/** Ctrl+Z takes back a zoom, unless a text is edited. */
function useStepBack({ isZoomed, zoomBack }: HistoryState): void {
  useEffect(() => {
    if (!isZoomed) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      const isText =
        event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]') !== null;
      if (isText || event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      zoomBack();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isZoomed, zoomBack]);
}

function Loading(): ReactElement {
  const { t } = useTranslation();
  return (
    <div className={classes.loading} role="status" data-testid="history-loading">
      <Loader size="md" />
      <span>{t('base:loading')}</span>
    </div>
  );
}
