import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DraftNotice } from '@/blocks/deployment/DraftNotice';
import { DataTable } from '@/components/table/DataTable';
import { useTab } from '@/lib/tab';
import { LOOP_WRITES, reportQuery, targetsQuery } from '../api';
import { Refused } from '../components/Refused';
import { ReportTime } from '../components/ReportTime';
import { useSection } from '../components/useSection';
import { joined, useTaskColumns } from '../components/useTaskColumns';
import type { Action, Task } from '../components/useTaskColumns';
import type { Target } from '../model/frame';
import { freeName, withRow } from '../model/rows';
import type { Row } from '../model/sections';
import classes from '../fieldbus.module.css';

/** The form is loaded when it is first wanted. */
const TaskDrawer = lazy(() => import('../components/TaskDrawer'));

const nameOf = (row: Row): string => String(row.name);
const rowId = ({ name }: Task): string => name;
const NO_TARGETS: readonly Target[] = [];
const NONE: readonly Row[] = [];
/** A task that is edited. was: its name until now, null for a new one. */
interface Opened {
  row: Row;
  was: string | null;
}

const STEM = 'write';
const USUAL_INTERVAL_S = 60;

/** Messages that go to slaves again and again: edited in the gateway's draft; what came of them, and why not. */
export default function LoopWritesTab(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const section = useSection(LOOP_WRITES);
  const { deviceId, query, hindrance } = section;
  const report = useQuery(reportQuery(deviceId)).data;
  const known = useQuery(targetsQuery(deviceId));
  const targets = known.data ?? NO_TARGETS;
  const [begun, setBegun] = useState<Opened | null>(null);
  const draft = query.data;
  const rows = draft?.tasks ?? NONE;
  const tasks = useMemo(() => joined(rows, report?.loop_writes ?? []), [rows, report]);
  const names = tasks.map(({ name }) => name);
  const named = rows.find((row) => nameOf(row) === search.task);
  const act = (action: Action, row: Row): void => {
    if (draft === undefined || section.isBusy) return; // the rows are about to be others
    const name = nameOf(row);
    if (action === 'edit') {
      setBegun({ row, was: name });
      setSearch({ task: name });
    } else if (action === 'copy') setBegun({ row: { ...row, name: freeName(name, names) }, was: null });
    else if (action === 'enable')
      section.edit({ ...draft, tasks: withRow(rows, name, { ...row, enable: row.enable === false }, nameOf) });
    else
      section.edit(
        { ...draft, tasks: rows.filter((each) => each !== row) },
        {
          message: t('fieldbus:task.removed', { name }),
          undone: t('fieldbus:task.restored', { name }),
          undo: (now) => ({ ...now, tasks: withRow(now.tasks, name, row, nameOf) }),
        },
      );
  };
  const columns = useTaskColumns({ targets, hindrance, onAction: act });
  const close = (): void => {
    setBegun(null);
    if (search.task !== undefined) setSearch({ task: undefined });
    void section.refresh();
  };
  const opened = begun ?? (named === undefined ? null : { row: named, was: nameOf(named) });
  const add = (): void => {
    const slave = targets[0]?.name ?? '';
    const row = { name: freeName(STEM, names), interval_s: USUAL_INTERVAL_S, slave, content: 'number' };
    setBegun({ row, was: null });
  };
  return (
    <>
      <div className={classes.bar}>
        <h2>{t('fieldbus:task.title')}</h2>
        <Button
          leftSection={<IconPlus size={16} />}
          disabled={hindrance !== '' || draft === undefined || known.isPending}
          title={hindrance || undefined}
          onClick={add}
          data-testid="task-add"
        >
          {t('fieldbus:task.add')}
        </Button>
      </div>
      {section.undeployed === null ? null : <DraftNotice deviceId={deviceId} hash={section.undeployed} />}
      <Refused faults={section.faults} />
      {report === undefined || report.loop_writes.length === 0 ? null : (
        <p className={classes.summary}>
          {t('fieldbus:figure.reported')} <ReportTime ms={report.reported_ms} />
        </p>
      )}
      <DataTable
        name="loop-writes"
        label={t('fieldbus:task.title')}
        columns={columns}
        rows={tasks}
        rowId={rowId}
        query={query}
        empty={{ title: t('fieldbus:task.none'), text: t('fieldbus:task.noneText') }}
        onOpen={hindrance === '' ? ({ row }) => row !== null && act('edit', row) : undefined}
        onDelete={hindrance === '' ? ({ row }) => row !== null && act('delete', row) : undefined}
      />
      {opened === null || draft === undefined || hindrance !== '' ? null : (
        <Suspense fallback={null}>
          <TaskDrawer
            deviceId={deviceId}
            draft={draft}
            {...opened}
            targets={targets}
            onSaved={section.onSaved}
            onClose={close}
          />
        </Suspense>
      )}
    </>
  );
}
