import { Alert, Drawer, Group, Loader, Pagination, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { StatusBadge } from '@/components/StatusBadge';
import { Trouble } from '@/components/Trouble';
import { codeKey } from '@/lib/commandCodes';
import { formatDateTime } from '@/lib/time';
import { LOG_ROWS, logQuery } from '../api';
import type { TaskRow, TaskRunRow, TaskRunStep } from '../api';
import { problemKey, useActionWords } from './useTaskWords';

/** Runs of a task, newest first, with what came of each action. */
export default function TaskLog({ row, onClose }: { row: TaskRow; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery(logQuery(row.id, page));
  const pages = Math.ceil((data?.total ?? 0) / LOG_ROWS);
  return (
    <Drawer
      opened
      onClose={onClose}
      size="lg"
      title={t('tasks:log.title', { title: row.title })}
      closeButtonProps={{ 'aria-label': t('base:action.close') }}
      data-testid="task-log-drawer"
    >
      {error !== null ? (
        <Trouble error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loader />
      ) : (
        <Stack gap="md">
          {row.lost_runs === 0 ? null : (
            <Alert color="yellow" data-testid="task-log-lost">
              {t('tasks:log.lost', { count: row.lost_runs })}
            </Alert>
          )}
          {data.rows.length === 0 ? <Text c="dimmed">{t('tasks:log.none')}</Text> : null}
          {data.rows.map((run) => (
            <Run key={run.id} row={row} run={run} />
          ))}
          {pages > 1 ? <Pagination total={pages} value={page} onChange={setPage} size="sm" /> : null}
        </Stack>
      )}
    </Drawer>
  );
}

function Run({ row, run }: { row: TaskRow; run: TaskRunRow }): ReactElement {
  const { t } = useTranslation();
  const { planned_ms, noted_ms, status, problem, missed, user_name, steps } = run;
  return (
    <div data-testid="task-log-row" data-status={status}>
      <Group justify="space-between">
        <Text fw={600} className="number">
          {formatDateTime(planned_ms ?? noted_ms)}
        </Text>
        <StatusBadge kind="task" code={status} />
      </Group>
      <Text size="xs" c="dimmed">
        {planned_ms === null ? t('tasks:log.byHand', { user: user_name }) : t('tasks:log.planned')}
      </Text>
      {problem === '' ? null : (
        <Text size="sm">
          {problem === 'missed' ? t('tasks:log.missed', { count: missed }) : t(problemKey({ problem }))}
        </Text>
      )}
      {problem !== 'missed' && missed > 0 ? <Text size="sm">{t('tasks:log.missed', { count: missed })}</Text> : null}
      {steps.map((step, at) => (
        // oxlint-disable-next-line react/no-array-index-key
        <Step key={at} row={row} step={step} at={at} />
      ))}
    </div>
  );
}

function Step({ row, step, at }: { row: TaskRow; step: TaskRunStep; at: number }): ReactElement {
  const { t } = useTranslation();
  const actions = useActionWords();
  const { status = -1, problem = '', code = '', detail = '', count = 1, done = 0, value, read } = step;
  const key = codeKey(code);
  const why = problem !== '' ? t(problemKey({ problem })) : key !== null ? t(key) : code;
  const facts = [
    step.kind === 'formula' && value !== null && value !== undefined
      ? t('tasks:log.wrote', { value: String(value) })
      : '',
    read !== null && read !== undefined ? t('tasks:log.read', { value: String(read) }) : '',
    step.kind === 'preset' && count > 1 ? t('tasks:log.of', { done, count }) : '',
    why,
    detail,
  ];
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm" mt={4}>
      <div>
        <Text size="sm">{describes(row, step, at) ? actions(row)[at] : t(`tasks:action.${step.kind}`)}</Text>
        <Text size="xs" c="dimmed">
          {facts.filter((fact) => fact !== '').join(' · ')}
        </Text>
      </div>
      <StatusBadge kind="task" code={status} />
    </Group>
  );
}

/** Whether the action at this place is still that of the run: the task may have been changed since. */
function describes(row: TaskRow, step: TaskRunStep, at: number): boolean {
  const action = row.actions[at];
  if (action === undefined || (action.kind ?? 'write') !== step.kind) return false;
  switch (action.kind) {
    case 'preset':
      return action.preset_id === step.preset_id;
    case 'command':
      return action.device_id === step.device_id && action.command === step.command;
    case 'formula':
      return action.dsid === step.dsid;
    default:
      return action.dsid === step.dsid && action.value === step.value;
  }
}
