import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { all } from '@/lib/screens';
import { changeTask, createTask, deleteTask, enableTask, loadTasks, TASKS } from '../api';
import type { TaskRow } from '../api';
import { bodyOf, draftOf, emptyDraft, missingOf, NAMES } from '../draft';
import type { Draft } from '../draft';
import { TaskButtons } from './TaskButtons';
import { useTaskColumns } from './useTaskColumns';

const TaskFields = lazy(() => import('./TaskFields'));
const TaskLog = lazy(() => import('./TaskLog'));

/** Who saves a task writes by it. */
const MAY = all('DeviceCronTasks/index', 'Device/cmd');

const taskFields = (form: ApiForm<Draft>): ReactElement => <TaskFields form={form} />;

/** Timed tasks: when each runs next, what came of it last, its log. */
export function TaskList(): ReactElement {
  const { t } = useTranslation();
  const [opened, setOpened] = useState<TaskRow | null>(null);
  const columns = useTaskColumns();
  const filters = useMemo<readonly Filter[]>(
    () => [
      { kind: 'search', name: 'search', label: t('tasks:search') },
      {
        kind: 'select',
        name: 'enabled',
        label: t('tasks:field.enabled'),
        options: ['true', 'false'].map((value) => ({ value, label: t(`tasks:enabled.${value}`) })),
      },
    ],
    [t],
  );
  const rowActions = useCallback((row: TaskRow) => <TaskButtons row={row} onLog={() => setOpened(row)} />, []);
  const resource = useMemo<Resource<TaskRow, Draft>>(
    () => ({
      name: 'tasks',
      title: t('tasks:title'),
      queryKey: TASKS,
      load: loadTasks,
      rowId: (row) => row.id,
      columns,
      filters,
      rowActions,
      form: {
        empty: emptyDraft(),
        of: draftOf,
        copy: (row) => ({ ...draftOf(row), title: t('tasks:copyOf', { title: row.title }), enabled: false }),
        words: { create: t('tasks:add'), edit: t('tasks:edit') },
        names: NAMES,
        mayCreate: MAY,
        mayUpdate: MAY,
        fields: taskFields,
        validate: (draft) => Object.fromEntries(missingOf(draft).map((path) => [path, t('tasks:needed')])),
        create: (draft) => createTask(bodyOf(draft)),
        update: (row, draft) => changeTask(row.id, bodyOf(draft), row.changed_ms),
      },
      bulk: [true, false].map((enabled) => ({
        id: enabled ? 'enable' : 'disable',
        label: t(enabled ? 'tasks:enable' : 'tasks:disable'),
        run: (ids) => Promise.all(ids.map((id) => enableTask(Number(id), enabled))),
      })),
      remove: {
        what: (row) => row.title,
        call: (row) => deleteTask(row.id),
        impact: () => t('tasks:impact'),
      },
      empty: { title: t('tasks:none'), text: t('tasks:noneText') },
    }),
    [t, columns, filters, rowActions],
  );
  return (
    <>
      <ResourcePage resource={resource} />
      {opened === null ? null : (
        <Suspense>
          <TaskLog row={opened} onClose={() => setOpened(null)} />
        </Suspense>
      )}
    </>
  );
}
