import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import type { Column } from '@/components/table/columns';
import { DataTable } from '@/components/table/DataTable';
import { levelsQuery, reportQuery } from '../api';
import type { AlarmReport, AlarmRow } from '../api';
import classes from '../events.module.css';
import { AlarmDrawer } from './AlarmDrawer';
import { DeviceLink } from './DeviceLink';
import { useAlarmColumns } from './useAlarmColumns';

type Noisy = AlarmReport['noisy'][number];

const NO_LEVELS: readonly never[] = [];
const NO_ROWS: readonly never[] = [];
const SHOWN: ReadonlySet<string> = new Set(['at', 'type', 'device', 'content', 'state']);
const rowId = ({ id }: AlarmRow): number => id;
const noisyId = ({ device_id, rule_id, dsid, alarm_type }: Noisy): string =>
  [device_id, rule_id, dsid, alarm_type].join(':');

/** What somebody has to look into: alarms that stand, that are noisy, that nobody acknowledges. */
export function Report(): ReactElement {
  const { t } = useTranslation();
  const query = useQuery(reportQuery);
  const [open, setOpen] = useState<AlarmRow | null>(null);
  const { data: levels = NO_LEVELS } = useQuery(levelsQuery);
  const all = useAlarmColumns(levels);
  const columns = useMemo(() => all.filter(({ id }) => SHOWN.has(id)), [all]);
  const noisy = useNoisyColumns();
  const { data } = query;
  const section = (name: 'stale' | 'never_acknowledged', rows: readonly AlarmRow[], total: number): ReactElement => (
    <section className={page.panel} aria-label={t(`events:report.${name}`)}>
      <div className={classes.reportHead}>
        <h2>{t(`events:report.${name}`)}</h2>
        <Text size="sm" c="dimmed">
          {t(`events:report.${name}Text`, { count: total })}
        </Text>
      </div>
      <DataTable
        name={`report-${name}`}
        label={t(`events:report.${name}`)}
        columns={columns}
        rows={rows}
        rowId={rowId}
        query={query}
        onOpen={setOpen}
        empty={{ title: t('events:report.nothing'), text: '' }}
      />
    </section>
  );
  return (
    <div data-testid="alarm-report">
      <h1 className={classes.reportTitle}>{t('events:view.report')}</h1>
      {section('stale', data?.stale ?? NO_ROWS, data?.stale_total ?? 0)}
      <section className={page.panel} aria-label={t('events:report.noisy')}>
        <div className={classes.reportHead}>
          <h2>{t('events:report.noisy')}</h2>
          <Text size="sm" c="dimmed">
            {t('events:report.noisyText')}
          </Text>
        </div>
        <DataTable
          name="report-noisy"
          label={t('events:report.noisy')}
          columns={noisy}
          rows={data?.noisy ?? NO_ROWS}
          rowId={noisyId}
          query={query}
          empty={{ title: t('events:report.nothing'), text: '' }}
        />
      </section>
      {section('never_acknowledged', data?.never_acknowledged ?? NO_ROWS, data?.never_acknowledged_total ?? 0)}
      {open === null ? null : <AlarmDrawer row={open} onClose={() => setOpen(null)} />}
    </div>
  );
}

function useNoisyColumns(): readonly Column<Noisy>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'count',
        title: t('events:group.count'),
        card: 'fact',
        cell: ({ count }) => <strong className="number">{`× ${count}`}</strong>,
        text: ({ count }) => String(count),
      },
      {
        id: 'device',
        title: t('events:alarm.device'),
        fixed: true,
        card: 'title',
        cell: ({ device_id, device_title }) => <DeviceLink id={device_id} title={device_title} />,
        text: ({ device_title }) => device_title,
      },
      {
        id: 'content',
        title: t('events:alarm.content'),
        card: 'fact',
        cell: ({ title, alarm_type }) => title || t(`base:alarmType.${alarm_type}`),
        text: ({ title }) => title,
      },
      {
        id: 'point',
        title: t('events:report.point'),
        cell: ({ ds_title }) => ds_title || '–',
        text: ({ ds_title }) => ds_title,
      },
    ],
    [t],
  );
}
