import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
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
import { useTab } from '@/lib/tab';
import { formatDateTime } from '@/lib/time';
import { exportOnOffs, loadOnOffs, ON_OFFS, onOffCountsQuery } from '../api';
import type { OnOfflineEvent } from '../api';
import { DeviceFilter } from '../components/DeviceFilter';
import { DeviceLink } from '../components/DeviceLink';
import { Moment } from '../components/Moment';
import { useEventWords } from '../components/useEventWords';
import { useFresh } from '@/components/useFresh';
import { usePeriod } from '../components/usePeriod';
import { causeOf } from '../handling';

/** What went and what came, of all gateways that the user sees and of their slaves. */
export default function OnOffline(): ReactElement {
  const { t, i18n } = useTranslation();
  const columns = useColumns();
  const filters = useFilters();
  const period = usePeriod();
  useFresh(onOnOff, ON_OFFS);
  const resource = useMemo<Resource<OnOfflineEvent>>(
    () => ({
      name: 'onoffs',
      title: t('events:title.onoff'),
      queryKey: ON_OFFS,
      load: (request, signal) => loadOnOffs(request, period(), signal),
      rowId: (row) => `${row.id}:${row.status}`,
      columns,
      filters,
      tools: <Counts />,
      download: {
        may: 'DeviceMonitor_Online',
        name: 'onoffline.xlsx',
        load: (request) =>
          exportOnOffs(request, period(), i18n.language === 'en' ? 'en' : 'zh', -new Date().getTimezoneOffset()),
      },
      empty: { title: t('events:onoff.none'), text: t('events:onoff.noneText') },
    }),
    [t, i18n.language, columns, filters, period],
  );
  return <ResourcePage resource={resource} />;
}

/** How many went and came in the period, of what the filters leave. */
function Counts(): ReactElement | null {
  const { t } = useTranslation();
  const { search } = useTab();
  const period = usePeriod();
  const { search: words = '', device = '', slaves = '', range, start, end } = search;
  const { data } = useQuery(onOffCountsQuery({ search: words, device, slaves }, period(), [range, start, end].join()));
  if (data === undefined) return null;
  return (
    <Text size="sm" c="dimmed" className="number" data-testid="onoff-counts">
      {t('events:onoff.counts', { offline: data.offline, online: data.online })}
    </Text>
  );
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
