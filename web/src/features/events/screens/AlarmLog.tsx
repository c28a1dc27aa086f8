import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { onAlarm } from '@/lib/live';
import { formatDateTime } from '@/lib/time';
import { ALARMS, deleteAlarm, exportAlarms, levelsQuery, loadAlarms } from '../api';
import type { AlarmRow } from '../api';
import { AlarmDrawer } from '../components/AlarmDrawer';
import { useNoAlarms } from '../components/NoAlarms';
import { QuickHandle } from '../components/QuickHandle';
import { useAlarmColumns } from '../components/useAlarmColumns';
import { useAlarmFilters } from '../components/useAlarmFilters';
import { useBulk } from '../components/useBulk';
import { deviceOf } from '../components/useEventWords';
import { useFresh } from '../components/useFresh';
import { usePeriod } from '../components/usePeriod';

const NO_LEVELS: readonly never[] = [];
const quickHandle = (row: AlarmRow): ReactElement => <QuickHandle row={row} />;

/** Alarm events of all gateways that the user sees; new ones appear by themselves. */
export default function AlarmLog(): ReactElement {
  const { t, i18n } = useTranslation();
  const [open, setOpen] = useState<AlarmRow | null>(null);
  const { data: levels = NO_LEVELS } = useQuery(levelsQuery);
  const columns = useAlarmColumns(levels);
  const filters = useAlarmFilters(levels);
  const [bulk, bulkDrawer] = useBulk();
  const period = usePeriod();
  const empty = useNoAlarms();
  useFresh(onAlarm, ALARMS);
  const resource = useMemo<Resource<AlarmRow>>(
    () => ({
      name: 'alarms',
      title: t('events:title.alarms'),
      queryKey: ALARMS,
      load: (asked, signal) => loadAlarms(asked, period(), signal),
      rowId: (row) => row.id,
      columns,
      filters,
      bulk,
      onOpen: setOpen,
      rowActions: quickHandle,
      remove: {
        may: 'Event',
        what: (row) => `${deviceOf(row)} ${formatDateTime(row.at)}`,
        call: (row) => deleteAlarm(row.id),
      },
      download: {
        may: 'Event',
        name: 'alarms.xlsx',
        load: (asked) =>
          exportAlarms(asked, period(), i18n.language === 'en' ? 'en' : 'zh', -new Date().getTimezoneOffset()),
      },
      empty,
    }),
    [t, i18n.language, columns, filters, bulk, period, empty],
  );
  return (
    <>
      <ResourcePage resource={resource} />
      {open === null ? null : <AlarmDrawer row={open} onClose={() => setOpen(null)} />}
      {bulkDrawer}
    </>
  );
}
