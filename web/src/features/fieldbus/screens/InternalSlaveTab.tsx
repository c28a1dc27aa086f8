import { Button, Group } from '@mantine/core';
import { IconPlus, IconSettings, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DraftNotice } from '@/blocks/deployment/DraftNotice';
import { Empty } from '@/components/Empty';
import { DataTable } from '@/components/table/DataTable';
import { TableState } from '@/components/table/TableState';
import { useTab } from '@/lib/tab';
import { INTERNAL_SLAVE, pointsQuery, reportQuery } from '../api';
import type { SlaveDraft } from '../api';
import { Refused } from '../components/Refused';
import { RegisterMap } from '../components/RegisterMap';
import { SlaveFigures } from '../components/SlaveFigures';
import { usePointColumns } from '../components/usePointColumns';
import { useSection } from '../components/useSection';
import { keyOf, overlapsOf } from '../model/registers';
import { withRow } from '../model/rows';
import { SLAVE_FIELDS, valueOf } from '../model/sections';
import type { Row } from '../model/sections';
import classes from '../fieldbus.module.css';

/** The forms are loaded when they are first wanted. */
const AddPointsDrawer = lazy(() => import('../components/AddPointsDrawer'));
const PointDrawer = lazy(() => import('../components/PointDrawer'));
const SlaveDrawer = lazy(() => import('../components/SlaveDrawer'));

const NONE: readonly Row[] = [];
const NO_POINTS: never[] = [];
type Opened = 'settings' | 'add' | null;

/** The gateway as a slave of another master: edited in its draft; what masters read and wrote, and what was refused. */
export default function InternalSlaveTab(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const section = useSection(INTERNAL_SLAVE);
  const { deviceId, query, hindrance, edit, isBusy } = section;
  const report = useQuery(reportQuery(deviceId)).data;
  const points = useQuery(pointsQuery(deviceId)).data ?? NO_POINTS;
  const [opened, setOpened] = useState<Opened>(null);
  const [begun, setBegun] = useState<Row | null>(null);
  const draft = query.data;
  const rows = draft?.points ?? NONE;
  const overlaps = useMemo(() => overlapsOf(rows), [rows]);
  const titles = useMemo(() => new Map(points.map((point) => [keyOf(point), point.title])), [points]);
  const edited = begun ?? rows.find((row) => keyOf(row) === search.point);
  const open = (row: Row): void => {
    setBegun(row);
    setSearch({ point: keyOf(row) });
  };
  const remove = (row: Row): void => {
    if (draft === undefined || isBusy) return; // the rows are about to be others
    edit(
      { ...draft, points: rows.filter((each) => each !== row) },
      {
        message: t('fieldbus:map.removed', { name: keyOf(row) }),
        undone: t('fieldbus:map.restored', { name: keyOf(row) }),
        undo: (now) => ({ ...now, points: withRow(now.points, keyOf(row), row, keyOf) }),
      },
    );
  };
  const columns = usePointColumns({ overlaps, titles, hindrance, onEdit: open, onRemove: remove });
  if (draft === undefined)
    return (
      <TableState query={query} rows={0} filtered={false} skeletonRows={6}>
        {null}
      </TableState>
    );
  const slave = draft.internal_slave;
  const removeAll = (before: SlaveDraft): void => {
    const { internal_slave, points: mapped } = before;
    edit(
      { ...before, internal_slave: null, points: [] },
      {
        message: t('fieldbus:slave.removed'),
        undone: t('fieldbus:slave.restored'),
        undo: (now) => ({ ...now, internal_slave, points: mapped }),
      },
    );
  };
  const setUp = (
    <Button
      leftSection={<IconPlus size={16} />}
      disabled={hindrance !== ''}
      title={hindrance || undefined}
      onClick={() => setOpened('settings')}
      data-testid="slave-set-up"
    >
      {t('fieldbus:slave.setUp')}
    </Button>
  );
  const close = (): void => {
    setOpened(null);
    setBegun(null);
    if (search.point !== undefined) setSearch({ point: undefined });
    void section.refresh();
  };
  const shared = { deviceId, draft, onSaved: section.onSaved, onClose: close };
  const isReported = report !== undefined && (slave !== null || report.internal_slave !== null);
  return (
    <>
      <div className={classes.bar}>
        <h2>{t('fieldbus:slave.title')}</h2>
        {slave === null ? null : (
          <Group gap={8}>
            <Button
              variant="default"
              leftSection={<IconSettings size={16} />}
              disabled={hindrance !== ''}
              title={hindrance || undefined}
              onClick={() => setOpened('settings')}
              data-testid="slave-settings"
            >
              {t('fieldbus:slave.settings')}
            </Button>
            <Button
              leftSection={<IconPlus size={16} />}
              disabled={hindrance !== ''}
              title={hindrance || undefined}
              onClick={() => setOpened('add')}
              data-testid="points-add"
            >
              {t('fieldbus:map.add')}
            </Button>
            <Button
              variant="subtle"
              color="red"
              leftSection={<IconTrash size={16} />}
              disabled={hindrance !== '' || isBusy}
              title={hindrance || undefined}
              onClick={() => removeAll(draft)}
              data-testid="slave-remove"
            >
              {t('fieldbus:slave.remove')}
            </Button>
          </Group>
        )}
      </div>
      {section.undeployed === null ? null : <DraftNotice deviceId={deviceId} hash={section.undeployed} />}
      <Refused faults={section.faults} />
      {isReported ? <SlaveFigures report={report} /> : null}
      {slave === null ? (
        <Empty title={t('fieldbus:slave.none')} text={t('fieldbus:slave.noneText')} action={setUp} />
      ) : (
        <>
          <p className={classes.summary} data-testid="slave-summary">
            {summary(slave).join(' · ')}
          </p>
          {rows.length === 0 ? null : <RegisterMap rows={rows} overlaps={overlaps} onOpen={open} />}
          <DataTable
            name="mapped-points"
            label={t('fieldbus:map.points')}
            columns={columns}
            rows={rows}
            rowId={keyOf}
            query={query}
            empty={{ title: t('fieldbus:map.none'), text: t('fieldbus:map.noneText') }}
            onOpen={hindrance === '' ? open : undefined}
            onDelete={hindrance === '' ? remove : undefined}
            virtual={rows.length > 100}
          />
        </>
      )}
      <Suspense fallback={null}>
        {opened === 'settings' ? <SlaveDrawer {...shared} /> : null}
        {opened === 'add' ? <AddPointsDrawer {...shared} points={points} /> : null}
        {edited !== undefined && hindrance === '' ? <PointDrawer {...shared} row={edited} points={points} /> : null}
      </Suspense>
    </>
  );

  function summary(row: Row): readonly string[] {
    const value = (name: string): string => String(valueOf(SLAVE_FIELDS, row, name));
    const line = `${value('device')} ${value('baud')} ${value('parity')} ${value('stop_bits')}`;
    return [
      t(row.enable === false ? 'fieldbus:slave.disabled' : 'fieldbus:slave.enabled'),
      t('fieldbus:slave.id', { id: value('id') }),
      ...(row.tcp === false ? [] : [`TCP ${value('host')}:${value('port')}`]),
      ...(value('device') === '' ? [] : [line]),
      t('fieldbus:slave.mapped', { count: rows.length }),
    ];
  }
}
