import { ActionIcon, Button, Group, Loader, SegmentedControl, Tooltip } from '@mantine/core';
import { IconArrowBackUp, IconCheck, IconCopy, IconDownload, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { TimeChart } from '@/charts/TimeChart';
import { copyText, saveText } from '@/components/clipboard';
import { Empty } from '@/components/Empty';
import { useSwitchWords } from '@/components/live/useWords';
import { showError } from '@/components/notices';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import type { Span } from '@/lib/time';
import { historyQuery, sourcesQuery } from '../api';
import type { DataSource, Series } from '../api';
import { chosenPoints, PointPicker } from '../components/PointPicker';
import { RangePicker } from '@/components/RangePicker';
import { useChartWords } from '../components/useChartWords';
import { useDevice } from '../components/useDevice';
import { useHistoryRange } from '../components/useHistoryRange';
import type { HistoryRange } from '../components/useHistoryRange';
import { chartSeries, csvOf, isChartable, tableRows } from '../historyView';
import type { TableRow } from '../historyView';
import classes from '../monitor.module.css';

const HistoryTable = lazy(() => import('../components/HistoryTable'));

const CHART_PX = 340;
/** 'copied' is shown this long. */
const COPIED_MS = 1500;

export default function HistoryTab(): ReactElement {
  const device = useDevice();
  const sources = useQuery(sourcesQuery(device.id));
  if (sources.data === undefined) {
    return sources.error === null ? <PageSkeleton /> : <Trouble error={sources.error} onRetry={() => void sources.refetch()} />;
  }
  return <History sources={sources.data} title={device.device_title} />;
}

function History({ sources, title }: { sources: readonly DataSource[]; title: string }): ReactElement {
  const { t } = useTranslation();
  const range = useHistoryRange();
  const chosen = useMemo(() => chosenPoints(range.points, sources), [range.points, sources]);
  const query = useQuery(historyQuery(chosen.map((source) => source.dsid), range.view.start_ms, range.view.end_ms));
  const words = useSwitchWords();
  const series = query.data?.series ?? [];
  const isOther = query.isPlaceholderData && !reaches(series, chosen, range.view);
  const rows = useMemo(() => tableRows(chosen, query.data?.series ?? [], words), [chosen, query.data, words]);
  return (
    <>
      <Bar sources={sources} chosen={chosen} range={range} rows={rows} series={series} title={title} isLoading={query.isFetching} />
      <div className={classes.refetching} data-on={query.isFetching && !query.isPending} />
      {query.error !== null && query.data === undefined ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : chosen.length === 0 ? (
        <Empty title={t('monitor:history.choose')} />
      ) : query.isPending || isOther ? (
        <Loading />
      ) : rows.length === 0 ? (
        <Empty title={t('monitor:history.nothing')} text={t('monitor:history.nothingText')} />
      ) : range.shown === 'table' ? (
        <Suspense fallback={<PageSkeleton />}>
          <HistoryTable rows={rows} sources={chosen} bucketed={isBucketed(series)} />
        </Suspense>
      ) : (
        <Chart chosen={chosen} series={series} range={range} />
      )}
    </>
  );
}

/** Has an earlier answer something of every chosen point in view? Then it may stand in until the new one is here. */
function reaches(series: readonly Series[], chosen: readonly DataSource[], view: Span): boolean {
  return chosen.every(({ dsid }) =>
    series.some((one) => one.dsid === dsid && one.t.some((at) => at >= view.start_ms && at <= view.end_ms)),
  );
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

const isBucketed = (series: readonly Series[]): boolean => series.some((one) => one.width_ms > 0);

function Chart({ chosen, series, range }: { chosen: readonly DataSource[]; series: readonly Series[]; range: HistoryRange }): ReactElement {
  const { t } = useTranslation();
  const words = useChartWords();
  const lines = useMemo(
    () => chosen.filter(isChartable).map((source) => chartSeries(source, series.find((one) => one.dsid === source.dsid))),
    [chosen, series],
  );
  if (lines.length === 0) return <Empty title={t('monitor:history.noChart')} text={t('monitor:history.noChartText')} />;
  return (
    <div className={classes.chartArea} data-testid="history-chart" data-samples={series.reduce((sum, one) => sum + one.t.length, 0)}>
      <TimeChart
        series={lines}
        min={range.view.start_ms}
        max={range.view.end_ms}
        height={CHART_PX}
        label={t('monitor:history.chartLabel', { names: lines.map((line) => line.label).join(', ') })}
        words={words}
        onZoom={range.zoom}
        onReset={range.zoomBack}
      />
    </div>
  );
}

interface BarProps {
  sources: readonly DataSource[];
  chosen: readonly DataSource[];
  range: HistoryRange;
  rows: readonly TableRow[];
  series: readonly Series[];
  title: string;
  isLoading: boolean;
}

function Bar({ sources, chosen, range, rows, series, title, isLoading }: BarProps): ReactElement {
  const { t } = useTranslation();
  return (
    <div className={classes.bar}>
      <PointPicker sources={sources} chosen={chosen.map((source) => source.dsid)} onChange={range.setPoints} />
      <RangePicker quick={range.quick} span={range.span} onQuick={range.setQuick} onCustom={range.setCustom} />
      <Tooltip label={t('monitor:history.refresh')}>
        <ActionIcon variant="default" size={32} onClick={range.refresh} aria-label={t('monitor:history.refresh')}>
          <IconRefresh size={16} />
        </ActionIcon>
      </Tooltip>
      {range.isZoomed ? (
        <Button variant="light" leftSection={<IconArrowBackUp size={16} />} onClick={range.zoomBack}>
          {t('monitor:history.zoomBack')}
        </Button>
      ) : null}
      {isLoading ? <Loader size="xs" aria-hidden /> : <Resolution series={series} />}
      <Group gap={8} ml="auto">
        <SegmentedControl
          size="xs"
          value={range.shown}
          onChange={(shown) => range.setShown(shown as 'chart' | 'table')}
          data={(['chart', 'table'] as const).map((value) => ({ value, label: t(`monitor:history.as.${value}`) }))}
          aria-label={t('monitor:history.showAs')}
          data-testid="history-view"
        />
        <CsvButtons rows={rows} chosen={chosen} bucketed={isBucketed(series)} title={title} />
      </Group>
    </div>
  );
}

/** What is seen: every sample, or means over a width; and whether more was there than could be answered. */
function Resolution({ series }: { series: readonly Series[] }): ReactElement | null {
  const { t } = useTranslation();
  const widest = Math.max(0, ...series.map((one) => one.width_ms));
  if (series.length === 0) return null;
  const unit = widest >= 3_600_000 ? 'h' : widest >= 60_000 ? 'min' : 's';
  const count = widest / { h: 3_600_000, min: 60_000, s: 1000 }[unit];
  const width = t(`base:duration.${unit}`, { count });
  return (
    <span className={classes.hint} data-testid="history-resolution">
      {widest === 0 ? t('monitor:history.raw') : t('monitor:history.bucketed', { width })}
      {series.some((one) => one.truncated) ? ` · ${t('monitor:history.truncated')}` : ''}
    </span>
  );
}

function CsvButtons({ rows, chosen, bucketed, title }: Pick<BarProps, 'rows' | 'chosen' | 'title'> & { bucketed: boolean }): ReactElement {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  const make = (): string => csvOf(rows, chosen, bucketed, t('monitor:column.time'));
  const copy = async (): Promise<void> => {
    if (!(await copyText(make()))) {
      showError(new Error(t('monitor:history.copyFailed')));
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  // The mark tells spreadsheets that the text is UTF-8.
  const save = (): void => saveText(`${title}.csv`, 'text/csv;charset=utf-8', `\uFEFF${make()}`);
  return (
    <>
      <Tooltip label={t(copied ? 'monitor:history.copied' : 'monitor:history.copyCsv')}>
        <ActionIcon variant="default" size={32} disabled={rows.length === 0} onClick={() => void copy()} aria-label={t('monitor:history.copyCsv')} data-testid="copy-csv">
          {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('monitor:history.saveCsv')}>
        <ActionIcon variant="default" size={32} disabled={rows.length === 0} onClick={save} aria-label={t('monitor:history.saveCsv')} data-testid="save-csv">
          <IconDownload size={16} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
