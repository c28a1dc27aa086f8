import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import { ScreenLink } from '@/components/ScreenLink';
import type { Column } from '@/components/table/columns';
import type { DeviceStatistics } from '../api';
import { percent } from '../figures';
import { useSpanWords } from './useSpanWords';

type Count = 'alarms' | 'danger' | 'warning' | 'other' | 'unhandled' | 'handled' | 'false_alarms' | 'offline_count';

export function useStatisticsColumns(): readonly Column<DeviceStatistics>[] {
  const { t } = useTranslation();
  const spanWords = useSpanWords();
  return useMemo(() => {
    const count = (id: Count, more: Partial<Column<DeviceStatistics>> = {}): Column<DeviceStatistics> => ({
      id,
      title: t(`statistics:column.${id}`),
      align: 'right',
      cell: (row) => row[id],
      text: (row) => String(row[id]),
      ...more,
    });
    const title = (row: DeviceStatistics): string => row.device_title || row.gateway_id;
    return [
      {
        id: 'device',
        title: t('statistics:column.device'),
        sort: 'device_title',
        fixed: true,
        card: 'title',
        cell: (row) => <Device row={row} />,
        text: title,
      },
      {
        id: 'gateway',
        title: t('statistics:column.gateway'),
        cell: (row) => row.gateway_id,
        text: (row) => row.gateway_id,
      },
      count('alarms', { sort: 'alarms', card: 'fact' }),
      count('danger', { hidden: true }),
      count('warning', { hidden: true }),
      count('other', { hidden: true }),
      count('unhandled', { sort: 'unhandled', card: 'fact' }),
      count('handled'),
      count('false_alarms'),
      count('offline_count', {
        sort: 'offline_count',
        cell: (row) => (row.never_connected ? '–' : row.offline_count),
        text: (row) => (row.never_connected ? '' : String(row.offline_count)),
      }),
      {
        id: 'offline_ms',
        title: t('statistics:column.offline_ms'),
        sort: 'offline_ms',
        align: 'right',
        card: 'fact',
        cell: (row) => (row.never_connected ? '–' : spanWords(row.offline_ms)),
        text: (row) => (row.never_connected ? '' : String(row.offline_ms)),
      },
      {
        id: 'available',
        title: t('statistics:column.available'),
        align: 'right',
        card: 'mark',
        cell: (row) => (row.never_connected ? t('statistics:never') : percent(row.available)),
        text: (row) => (row.never_connected ? t('statistics:never') : percent(row.available)),
      },
    ];
  }, [t, spanWords]);
}

function Device({ row }: { row: DeviceStatistics }): ReactElement {
  return (
    <ScreenLink path="/deviceDetail/index" search={{ device_id: row.device_id, tab: 'alarm' }} className={page.title}>
      {row.device_title || row.gateway_id}
    </ScreenLink>
  );
}
