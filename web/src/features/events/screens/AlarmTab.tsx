import { SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DateRangePicker } from '@/components/DateRangePicker';
import { Paging } from '@/components/Paging';
import type { Column } from '@/components/table/columns';
import { DataTable } from '@/components/table/DataTable';
import { usePages, useStepBack } from '@/components/usePages';
import { useRange } from '@/components/useRange';
import { onAlarm } from '@/lib/live';
import { useTab } from '@/lib/tab';
import { ALARMS, levelsQuery, loadAlarms } from '../api';
import type { AlarmRow } from '../api';
import { useNoAlarms } from '../components/NoAlarms';
import { RowActions } from '../components/RowActions';
import { useAlarmColumns } from '../components/useAlarmColumns';
import { useFresh } from '@/components/useFresh';
import { usePeriod } from '../components/usePeriod';
import classes from '../events.module.css';

const AlarmDrawer = lazy(async () => ({ default: (await import('../components/AlarmDrawer')).AlarmDrawer }));

const NO_LEVELS: readonly never[] = [];
const STATES = ['', '0', '1', '2'] as const;
const rowId = ({ id }: AlarmRow): number => id;

/** Alarms of the gateway of this page; new ones appear by themselves. */
export default function AlarmTab(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const range = useRange('past7Days');
  const period = usePeriod();
  const empty = useNoAlarms(search.device_id ?? '');
  const [open, setOpen] = useState<AlarmRow | null>(null);
  const { data: levels = NO_LEVELS } = useQuery(levelsQuery);
  const columns = useColumnsOfOne(levels);
  const status = STATES.find((one) => one === search.alarm_status) ?? '';
  const pages = usePages([status, search.range, search.start, search.end].join());
  const { page, limit } = pages;
  const filters = { device: search.device_id ?? '', status };
  useFresh(onAlarm, ALARMS);
  const query = useQuery({
    queryKey: [...ALARMS, 'of', filters, page, limit, search.start, search.end, search.range],
    queryFn: ({ signal }) =>
      loadAlarms({ page, limit, sort: null, sortBy: undefined, filters, span: range.span }, period(), signal),
    placeholderData: keepPreviousData,
  });
  useStepBack(pages, query);
  const total = query.data?.total ?? 0;
  return (
    <>
      <div className={classes.tabBar}>
        <h2>{t('events:title.alarms')}</h2>
        <SegmentedControl
          size="xs"
          value={status}
          onChange={(next) => setSearch({ alarm_status: next || undefined, page: undefined })}
          data={STATES.map((value) => ({
            value,
            label: value === '' ? t('base:table.all') : t(`base:code.alarmLog.${value}`),
          }))}
          aria-label={t('events:alarm.status')}
          data-testid="alarm-status"
        />
        <DateRangePicker range={range} />
      </div>
      <DataTable
        name="deviceAlarm"
        label={t('events:title.alarms')}
        columns={columns}
        rows={query.data?.rows ?? []}
        rowId={rowId}
        query={query}
        total={total}
        before={(page - 1) * limit}
        onOpen={setOpen}
        filtered={status !== ''}
        onClear={() => setSearch({ alarm_status: undefined })}
        empty={empty}
      />
      <Paging pages={pages} total={total} />
      {open === null ? null : (
        <Suspense fallback={null}>
          <AlarmDrawer row={open} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  );
}

/** Without the gateway, which is the same in each row; with the quick handling. */
function useColumnsOfOne(levels: Parameters<typeof useAlarmColumns>[0]): readonly Column<AlarmRow>[] {
  const { t } = useTranslation();
  const all = useAlarmColumns(levels);
  return useMemo(
    () => [
      ...all
        .filter(({ id }) => id !== 'device')
        .map((column) => (column.id === 'content' ? { ...column, fixed: true, card: 'title' as const } : column)),
      { id: 'actions', title: t('base:table.actions'), cell: (row: AlarmRow) => <RowActions row={row} /> },
    ],
    [all, t],
  );
}
