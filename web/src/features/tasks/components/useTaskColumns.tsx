import { Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import page from '@/components/page.module.css';
import { StatusBadge } from '@/components/StatusBadge';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import { enableTask, TASKS } from '../api';
import type { TaskRow } from '../api';
import { useActionWords, usePlanWords } from './useTaskWords';

export function useTaskColumns(): readonly Column<TaskRow>[] {
  const { t } = useTranslation();
  const plan = usePlanWords();
  const actions = useActionWords();
  return useMemo(() => {
    const next = (row: TaskRow): string => {
      if (!row.enabled) return t('tasks:enabled.false');
      return row.next_ms === null ? t('tasks:noMore') : formatDateTime(row.next_ms);
    };
    const home = (row: TaskRow): string => (row.enabled ? t(`tasks:home.${row.home}`) : '-');
    const reason = (row: TaskRow): string =>
      row.enabled && row.home_reason !== '' ? t(`tasks:homeReason.${row.home_reason}`) : '';
    return [
      {
        id: 'title',
        title: t('tasks:field.title'),
        fixed: true,
        card: 'title',
        cell: (row) => (
          <>
            <span className={page.title}>{row.title}</span>
            <span className={page.sub}>{row.user_name}</span>
          </>
        ),
        text: (row) => row.title,
      },
      {
        id: 'plan',
        title: t('tasks:field.plan'),
        card: 'fact',
        cell: (row) => (
          <>
            {plan(row.schedule)}
            <span className={page.sub}>{[row.schedule.zone, row.calendar_title].filter(Boolean).join(' · ')}</span>
          </>
        ),
        text: (row) => plan(row.schedule),
      },
      {
        id: 'actions',
        title: t('tasks:field.actions'),
        card: 'fact',
        cell: (row) =>
          actions(row).map((words, at) => (
            // oxlint-disable-next-line react/no-array-index-key
            <span key={at} style={{ display: 'block' }}>
              {words}
            </span>
          )),
        text: (row) => actions(row).join('; '),
      },
      {
        id: 'next',
        title: t('tasks:field.next'),
        card: 'fact',
        cell: (row) => <span className="number">{next(row)}</span>,
        text: next,
      },
      {
        id: 'home',
        title: t('tasks:runsAt'),
        card: 'fact',
        cell: (row) => <Home row={row} words={home(row)} reason={reason(row)} />,
        text: (row) => [home(row), reason(row)].filter((part) => part !== '').join(' · '),
      },
      {
        id: 'last',
        title: t('tasks:field.last'),
        card: 'mark',
        cell: (row) => <Last row={row} />,
        text: (row) => (row.last === null ? '' : t(`base:code.task.${row.last.status}`)),
      },
      {
        id: 'enabled',
        title: t('tasks:field.enabled'),
        cell: (row) => <Enabled row={row} />,
        text: (row) => t(`tasks:enabled.${row.enabled}`),
      },
    ];
  }, [t, plan, actions]);
}

/** Where a task runs, and below it why that is the cloud. */
function Home({ row, words, reason }: { row: TaskRow; words: string; reason: string }): ReactElement {
  return (
    <>
      <ToneText tone={!row.enabled ? 'off' : row.home === 'moving' ? 'warn' : 'ok'}>{words}</ToneText>
      {reason !== '' && <span className={page.sub}>{reason}</span>}
    </>
  );
}

function Last({ row: { last } }: { row: TaskRow }): ReactElement {
  if (last === null) return <>-</>;
  return (
    <>
      <StatusBadge kind="task" code={last.status} />
      <span className={page.sub}>{formatDateTime(last.planned_ms ?? last.noted_ms)}</span>
    </>
  );
}

function Enabled({ row }: { row: TaskRow }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (enabled: boolean) => enableTask(row.id, enabled),
    onSettled: () => cache.invalidateQueries({ queryKey: TASKS }),
  });
  return (
    <Switch
      size="sm"
      checked={row.enabled}
      disabled={isPending}
      onChange={(event) => mutate(event.currentTarget.checked)}
      aria-label={t('tasks:enableOf', { title: row.title })}
      data-testid="task-enabled"
    />
  );
}
