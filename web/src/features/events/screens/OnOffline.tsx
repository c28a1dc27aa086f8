import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeWords } from '@/components/useTimeWords';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { StatusBadge } from '@/components/StatusBadge';
import type { Column } from '@/components/table/columns';
import { onOnOff } from '@/lib/live';
import { formatDateTime } from '@/lib/time';
import { loadOnOffs, ON_OFFS } from '../api';
import type { OnOfflineEvent } from '../api';
import { DeviceFilter } from '../components/DeviceFilter';
import { DeviceLink } from '../components/DeviceLink';
import { Moment } from '../components/Moment';
import { useEventWords } from '../components/useEventWords';
import { useFresh } from '../components/useFresh';
import { usePeriod } from '../components/usePeriod';
import { causeOf } from '../handling';

/** What went and what came, of all gateways that the user sees and of their slaves. */
export default function OnOffline(): ReactElement {
  const { t } = useTranslation();
  const columns = useColumns();
  const filters = useFilters();
  const period = usePeriod();
  useFresh(onOnOff, ON_OFFS);
  const resource = useMemo<Resource<OnOfflineEvent>>(
    () => ({
      name: 'onoffs',
      title: t('events:title.onoff'),
      queryKey: ON_OFFS,
      load: (asked, signal) => loadOnOffs(asked, period(), signal),
      rowId: (row) => `${row.id}:${row.status}`,
      columns,
      filters,
      empty: { title: t('events:onoff.none'), text: t('events:onoff.noneText') },
    }),
    [t, columns, filters, period],
  );
  return <ResourcePage resource={resource} />;
}

function useColumns(): readonly Column<OnOfflineEvent>[] {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const words = useEventWords();
  return useMemo(() => {
    const lasted = (row: OnOfflineEvent): string =>
      row.lasts ? t('events:onoff.lasts', { duration: duration(row.duration_ms) }) : duration(row.duration_ms);
    const plain = (
      id: string,
      text: (row: OnOfflineEvent) => string,
      more: Partial<Column<OnOfflineEvent>> = {},
    ): Column<OnOfflineEvent> => ({
      id,
      title: t(`events:onoff.${id}`),
      cell: text,
      text,
      ...more,
    });
    return [
      plain('at', (row) => formatDateTime(row.at), { cell: (row) => <Moment ms={row.at} />, card: 'fact' }),
      plain('status', (row) => t(`base:code.onoff.${row.status}`), {
        cell: (row) => <StatusBadge kind="onoff" code={row.status} />,
        card: 'mark',
      }),
      plain('device', words.device, {
        cell: (row) => <DeviceLink id={row.device_id} title={words.device(row)} />,
        fixed: true,
        card: 'title',
      }),
      plain('who', (row) => words.slave(row) || t('events:onoff.gateway'), { card: 'fact' }),
      plain('reason', (row) => words.reason(causeOf(row))),
      plain('duration', lasted, { card: 'fact' }),
    ];
  }, [t, duration, words]);
}

function useFilters(): readonly Filter[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      { kind: 'search', name: 'search', label: t('events:filter.searchOnOff') },
      {
        kind: 'segments',
        name: 'status',
        label: t('events:onoff.status'),
        options: [0, 1].map((code) => ({ value: String(code), label: t(`base:code.onoff.${code}`) })),
      },
      {
        kind: 'select',
        name: 'slaves',
        label: t('events:filter.slaves'),
        options: [{ value: 'no', label: t('events:filter.gatewaysOnly') }],
      },
      { kind: 'own', name: 'device', render: (value, set) => <DeviceFilter value={value} onChange={set} /> },
      { kind: 'range', fallback: 'past7Days' },
    ],
    [t],
  );
}
