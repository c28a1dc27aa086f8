import { ActionIcon, Button, Group, Loader, SegmentedControl, Switch, Tooltip } from '@mantine/core';
import { IconArrowBackUp, IconRefresh, IconZoomOut } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/time';
import { DateRangePicker } from '@/components/DateRangePicker';
import classes from './history.module.css';
import { PointChooser } from './PointChooser';
import type { HistoryState } from './useHistory';
import type { HistoryData } from './useHistoryData';
import type { DeviceSource } from './useSources';

interface Props {
  chosen: readonly DeviceSource[];
  history: HistoryState;
  data: HistoryData;
  /** The gateway whose points are offered first; fixed: no other. */
  device: number | null;
  fixed: boolean;
  files: ReactNode;
}

/** Points, period, zoom and looks. */
export function HistoryBar({ chosen, history, data, device, fixed, files }: Props): ReactElement {
  const { t } = useTranslation();
  const units = new Set(chosen.map(({ unit }) => unit)).size;
  return (
    <div className={classes.bar}>
      <PointChooser chosen={chosen} device={device} fixed={fixed} onChange={history.choose} />
      <DateRangePicker range={history} />
      <Tooltip label={t('base:history.refresh')}>
        <ActionIcon variant="default" size={32} onClick={history.refresh} aria-label={t('base:history.refresh')}>
          <IconRefresh size={16} />
        </ActionIcon>
      </Tooltip>
      {history.isZoomed ? (
        <>
          <Button
            variant="light"
            leftSection={<IconArrowBackUp size={16} />}
            onClick={history.zoomBack}
            data-testid="zoom-back"
          >
            {t('base:history.zoomBack')}
          </Button>
          <Tooltip label={t('base:history.zoomOut')}>
            <ActionIcon
              variant="default"
              size={32}
              onClick={history.zoomOut}
              aria-label={t('base:history.zoomOut')}
              data-testid="zoom-out"
            >
              <IconZoomOut size={16} />
            </ActionIcon>
          </Tooltip>
        </>
      ) : null}
      {data.isFetching ? (
        <Loader size="xs" aria-hidden />
      ) : (
        <Resolution data={data} isChart={history.mode === 'chart'} />
      )}
      <Group gap={10} ml="auto">
        {history.mode === 'chart' && chosen.length > 0 ? (
          <Switch
            size="xs"
            label={t('base:history.compare')}
            checked={history.compares}
            onChange={(event) => history.setCompares(event.currentTarget.checked)}
            data-testid="history-compare"
          />
        ) : null}
        {history.mode === 'chart' && units > 1 ? (
          <Switch
            size="xs"
            label={t('base:history.split')}
            checked={history.splits}
            onChange={(event) => history.setSplits(event.currentTarget.checked)}
            data-testid="history-split"
          />
        ) : null}
        <SegmentedControl
          size="xs"
          value={history.mode}
          onChange={(mode) => history.setMode(mode as 'chart' | 'table')}
          data={(['chart', 'table'] as const).map((value) => ({ value, label: t(`base:history.as.${value}`) }))}
          aria-label={t('base:history.showAs')}
          data-testid="history-view"
        />
        {files}
      </Group>
    </div>
  );
}

interface Seen {
  widthMs: number;
  isTruncated: boolean;
  gaps: readonly { startMs: number; endMs: number }[];
}

/** What is seen: every sample, or what stands for those of a width; and whether more was there than could be answered. */
function Resolution({ data, isChart }: { data: HistoryData; isChart: boolean }): ReactElement | null {
  const { t } = useTranslation();
  const seen: readonly Seen[] = isChart
    ? (data.packed?.points ?? [])
    : data.series.map(({ width_ms, truncated, gaps }) => ({
        widthMs: width_ms,
        isTruncated: truncated,
        gaps: (gaps ?? []).map(({ start_ms, end_ms }) => ({ startMs: start_ms, endMs: end_ms })),
      }));
  if (seen.length === 0) return null;
  const widest = Math.max(...seen.map(({ widthMs }) => widthMs));
  const unit = widest >= 3_600_000 ? 'h' : widest >= 60_000 ? 'min' : 's';
  const width = t(`base:duration.${unit}`, { count: rounded(widest / { h: 3_600_000, min: 60_000, s: 1000 }[unit]) });
  const gaps = seen.flatMap((one) => one.gaps).sort((one, other) => one.startMs - other.startMs);
  const [first] = gaps;
  return (
    <span className={classes.hint} data-testid="history-resolution">
      {widest === 0 ? t('base:history.raw') : t(isChart ? 'base:history.drawn' : 'base:history.bucketed', { width })}
      {seen.some(({ isTruncated }) => isTruncated) ? ` · ${t('base:history.truncated')}` : ''}
      {first === undefined
        ? ''
        : ` · ${t('base:history.damaged', { count: gaps.length, from: formatDateTime(first.startMs), to: formatDateTime(first.endMs) })}`}
    </span>
  );
}

function rounded(count: number): number {
  return Number(count.toPrecision(count < 100 ? 2 : 3));
}
