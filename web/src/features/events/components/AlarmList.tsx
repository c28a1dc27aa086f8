import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import type { Column } from '@/components/table/columns';
import type { AlarmLevel } from '@/lib/alarmTypes';
import { formatDateTime } from '@/lib/time';
import { ALARMS, deleteAlarm, exportAlarms, levelsQuery, loadAlarms } from '../api';
import type { AlarmRow, Part } from '../api';
import { filtersOf } from '../views';
import type { ListView } from '../views';
import { useNoAlarms } from './NoAlarms';
import { RowActions } from './RowActions';
import { useAlarmColumns } from './useAlarmColumns';
import { useAlarmFilters } from './useAlarmFilters';
import { useBulk } from './useBulk';
import { deviceOf, useEventWords } from './useEventWords';
import { usePeriod } from './usePeriod';

const AlarmDrawer = lazy(async () => ({ default: (await import('./AlarmDrawer')).AlarmDrawer }));

const NO_LEVELS: readonly never[] = [];
const rowActions = (row: AlarmRow): ReactElement => <RowActions row={row} />;
const EVER = {};

/** Alarms one by one. Those under a root cause are behind it, unless something is searched for. */
export function AlarmList({ view }: { view: ListView }): ReactElement {
  const { t, i18n } = useTranslation();
  const [open, setOpen] = useState<AlarmRow | null>(null);
  const { data: levels = NO_LEVELS } = useQuery(levelsQuery);
  const columns = useListColumns(levels, view);
  const all = useAlarmFilters(levels, view);
  const filters = useMemo(() => filtersOf(view, all), [view, all]);
  const [bulk, bulkDrawer] = useBulk();
  const period = usePeriod();
  const empty = useNoAlarms(undefined, view);
  const resource = useMemo<Resource<AlarmRow>>(() => {
    const part: Part = view === 'history' ? {} : { view };
    const when = view === 'history' ? period : () => EVER;
    return {
      name: 'alarms',
      title: t('events:title.alarms'),
      queryKey: [...ALARMS, 'list', view],
      load: (request, signal) =>
        loadAlarms(request, when(), signal, { ...part, folded: (request.filters.search ?? '') === '' }),
      rowId: (row) => row.id,
      columns,
      filters,
      bulk,
      onOpen: setOpen,
      rowActions,
      remove: {
        may: 'Event',
        what: (row) => `${deviceOf(row)} ${formatDateTime(row.at)}`,
        call: (row) => deleteAlarm(row.id),
      },
      download: {
        may: 'Event',
        name: 'alarms.xlsx',
        load: (request) =>
          exportAlarms(request, when(), i18n.language === 'en' ? 'en' : 'zh', -new Date().getTimezoneOffset(), part),
      },
      empty,
    };
  }, [t, i18n.language, view, columns, filters, bulk, period, empty]);
  return (
    <>
      <ResourcePage resource={resource} />
      {open === null ? null : (
        <Suspense fallback={null}>
          <AlarmDrawer row={open} onClose={() => setOpen(null)} />
        </Suspense>
      )}
      {bulkDrawer}
    </>
  );
}

/** The slave stands below its device, and what is active has not recovered: so the table fits a screen of 1366 px. */
function useListColumns(levels: readonly AlarmLevel[], view: ListView): readonly Column<AlarmRow>[] {
  const all = useAlarmColumns(levels);
  const words = useEventWords();
  return useMemo(
    () =>
      all.map((column) => {
        if (column.id === 'slave' || (column.id === 'recovered' && view === 'active'))
          return { ...column, hidden: true };
        if (column.id !== 'device') return column;
        return {
          ...column,
          cell: (row) => (
            <span>
              {column.cell(row)}
              {words.slave(row) === '' ? null : <span className={page.sub}>{words.slave(row)}</span>}
            </span>
          ),
        };
      }),
    [all, words, view],
  );
}
