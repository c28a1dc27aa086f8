import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { loadReport, exportReport, STATISTICS } from '../api';
import type { DeviceStatistics } from '../api';
import { Overview } from '../components/Overview';
import { useStatisticsColumns } from '../components/useStatisticsColumns';

/** Alarms, absences and availability of gateways over a period: together, by day, and each. */
export default function StatisticalReport(): ReactElement {
  const { t, i18n } = useTranslation();
  const columns = useStatisticsColumns();
  const filters = useMemo<readonly Filter[]>(
    () => [
      { kind: 'search', name: 'search', label: t('statistics:search') },
      { kind: 'range', fallback: 'past7Days' },
    ],
    [t],
  );
  const resource = useMemo<Resource<DeviceStatistics>>(
    () => ({
      name: 'statistics',
      title: t('statistics:title'),
      queryKey: STATISTICS,
      load: loadReport,
      rowId: (row) => row.device_id,
      columns,
      filters,
      sort: { by: 'alarms', descending: true },
      download: {
        name: 'statistics.xlsx',
        load: (request) => exportReport(request, i18n.language === 'en' ? 'en' : 'zh'),
      },
      empty: { title: t('statistics:none'), text: t('statistics:noneText') },
    }),
    [t, i18n.language, columns, filters],
  );
  return (
    <>
      <ResourcePage resource={resource} />
      <Overview />
    </>
  );
}
