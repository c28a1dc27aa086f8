import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Filter } from '@/components/resource/filters';
import { ScreenLink } from '@/components/ScreenLink';
import { StatusBadge } from '@/components/StatusBadge';
import type { Column } from '@/components/table/columns';
import { deviceTitle } from '@/lib/deviceTitle';
import { formatDateTime } from '@/lib/time';
import type { DeviceRow } from '../api';
import page from '@/components/page.module.css';
import { DEVICE_STATUSES } from '@/lib/statusCodes';
import classes from '../projects.module.css';

/** Columns of gateways. project: also in which project each is. */
export function useDeviceColumns(): readonly Column<DeviceRow>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const last = (row: DeviceRow): string => (typeof row.data_ms === 'number' ? formatDateTime(row.data_ms) : '–');
    return [
      {
        id: 'title',
        title: t('projects:device.title'),
        sort: 'device_title',
        fixed: true,
        card: 'title',
        cell: (row) => <DeviceLink row={row} />,
        text: deviceTitle,
      },
      {
        id: 'sn',
        title: t('projects:device.sn'),
        sort: 'gateway_id',
        cell: (row) => <span className={page.mono}>{row.gateway_id}</span>,
        text: (row) => row.gateway_id,
        card: 'fact',
      },
      {
        id: 'status',
        title: t('projects:device.status'),
        cell: (row) => <StatusBadge kind="device" code={row.status} isNew={row.presence.code === 'never_connected'} />,
        text: (row) => t(`base:code.device.${row.presence.code === 'never_connected' ? 'new' : row.status}`),
        card: 'mark',
      },
      {
        id: 'project',
        title: t('projects:device.project'),
        cell: (row) => projectOf(row, t),
        text: (row) => projectOf(row, t),
        card: 'fact',
      },
      {
        id: 'last',
        title: t('projects:device.last'),
        sort: 'data_ms',
        cell: (row) => <span className={`number ${classes.time}`}>{last(row)}</span>,
        text: last,
      },
    ];
  }, [t]);
}

function projectOf({ project_id, project_title }: DeviceRow, t: (key: string) => string): string {
  if (project_id === null) return t('projects:none');
  return project_title ?? t('projects:hiddenProject');
}

function DeviceLink({ row }: { row: DeviceRow }): ReactElement {
  return (
    <ScreenLink path="/deviceDetail/index" search={{ device_id: row.id }} className={page.title}>
      {deviceTitle(row)}
    </ScreenLink>
  );
}

/** Search and status. */
export function useDeviceFilters(): readonly Filter[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      { kind: 'search', name: 'search', label: t('projects:device.search') },
      {
        kind: 'select',
        name: 'status',
        label: t('projects:device.status'),
        options: DEVICE_STATUSES.map((value) => ({ value, label: t(`base:code.device.${value}`) })),
      },
    ],
    [t],
  );
}
