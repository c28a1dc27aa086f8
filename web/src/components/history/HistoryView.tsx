import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Span } from '@/lib/time';
import { Empty } from '../Empty';
import { useSwitchWords } from '../live/useWords';
import { PageSkeleton } from '../PageSkeleton';
import { Trouble } from '../Trouble';
import { historyQuery, spansQuery } from './api';
import type { Series } from './api';
import classes from './history.module.css';
import { HistoryBar } from './HistoryBar';
import { HistoryChart } from './HistoryChart';
import { HistoryExport } from './HistoryExport';
import { HistoryFile } from './HistoryFile';
import { MOST_SERIES, tableRows } from './series';
import { useHistory } from './useHistory';
import type { HistoryState } from './useHistory';
import { useSources } from './useSources';
import type { DeviceSource } from './useSources';

const HistoryTable = lazy(() => import('./HistoryTable'));

/** Buckets are asked for in such steps, so that a window that is pulled a little asks for nothing new. */
const STEP_PX = 200;
const LEAST_POINTS = 200;
const MOST_POINTS = 1600;

interface Props {
  /** The gateway whose points are offered first. */
  device: number | null;
  /** Points of no other gateway. */
  fixed?: boolean;
}

/** History of up to eight points as a chart and as a table, both of the same query. Its state is the page's address. */
export function HistoryView({ device, fixed = false }: Props): ReactElement {
  const history = useHistory(device, MOST_SERIES);
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
  const words = useSwitchWords();
  const chosen = useMemo(() => chosenOf(history.points, sources), [history.points, sources]);
  const dsids = useMemo(() => chosen.map(({ dsid }) => dsid), [chosen]);
  const [points] = useState(() => pointsOf(window.innerWidth));
  const { view, span } = history;
  const query = useQuery(historyQuery(dsids, view.start_ms, view.end_ms, points));
  const spans = useQuery(spansQuery(dsids, view.start_ms, view.end_ms));
  const shiftMs = span.end_ms - span.start_ms;
  const earlier = useQuery({
    ...historyQuery(history.compares ? dsids : [], view.start_ms - shiftMs, view.end_ms - shiftMs, points),
    meta: { shownInPlace: true },
  });
  const series = useMemo(() => query.data?.series ?? [], [query.data]);
  const isOther = query.isPlaceholderData && !reaches(series, chosen, view);
  const rows = useMemo(() => tableRows(chosen, series, words), [chosen, series, words]);
  const bucketed = series.some((one) => one.width_ms > 0);
  useStepBack(history);
  const name = chosen.length === 1 ? `${chosen[0]?.deviceTitle} ${chosen[0]?.ds_title}` : (chosen[0]?.deviceTitle ?? t('base:history.table'));
  return (
    <>
      <HistoryBar
        chosen={chosen}
        history={history}
        series={series}
        device={device}
        fixed={fixed}
        isLoading={query.isFetching}
        files={
          <>
            <HistoryFile rows={rows} chosen={chosen} bucketed={bucketed} name={name} />
            <HistoryExport dsids={dsids} span={span} />
          </>
        }
      />
      <div className={classes.refetching} data-on={query.isFetching && !query.isPending} />
      {chosen.length === 0 && isLoading ? (
        <Loading />
      ) : chosen.length === 0 ? (
        <Empty title={t('base:history.choose')} text={t('base:history.chooseText')} />
      ) : query.error !== null && query.data === undefined ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending || isOther ? (
        <Loading />
      ) : rows.length === 0 ? (
        <Empty title={t('base:history.nothing')} text={t('base:history.nothingText')} />
      ) : history.shown === 'table' ? (
        <Suspense fallback={<PageSkeleton />}>
          <HistoryTable rows={rows} sources={chosen} bucketed={bucketed} />
        </Suspense>
      ) : (
        <HistoryChart
          chosen={chosen}
          series={series}
          earlier={history.compares ? earlier.data?.series : undefined}
          shiftMs={shiftMs}
          spans={spans.data}
          history={history}
        />
      )}
    </>
  );
}

/** Chosen points in their order; without a choice the first numeric one. */
export function chosenOf(points: readonly number[] | undefined, sources: readonly DeviceSource[]): DeviceSource[] {
  if (points === undefined) return sources.filter(({ ds_type }) => ds_type === 'num').slice(0, 1);
  return points.map((dsid) => sources.find((source) => source.dsid === dsid)).filter((source) => source !== undefined);
}

function pointsOf(width: number): number {
  return Math.min(MOST_POINTS, Math.max(LEAST_POINTS, Math.ceil(width / STEP_PX) * STEP_PX));
}

/** Has an earlier answer something of every chosen point in view? Then it may stand in until the new one is here. */
function reaches(series: readonly Series[], chosen: readonly DeviceSource[], view: Span): boolean {
  return chosen.every(({ dsid }) =>
    series.some((one) => one.dsid === dsid && one.t.some((at) => at >= view.start_ms && at <= view.end_ms)),
  );
}

/** Ctrl+Z takes back a zoom, unless a text is edited. */
function useStepBack({ isZoomed, zoomBack }: HistoryState): void {
  useEffect(() => {
    if (!isZoomed) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      const isText = event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]') !== null;
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
