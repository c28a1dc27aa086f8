import { ActionIcon, Group } from '@mantine/core';
import { IconCopy, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ACTIONS } from '@/components/table/columns';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { codeKey } from '@/lib/commandCodes';
import { formatDateTime } from '@/lib/time';
import type { ReportedLoopWrite } from '../api';
import { frameOf, hexText } from '../model/frame';
import type { Target } from '../model/frame';
import { BadContent, momentIn } from '../model/message';
import { TASK_FIELDS, valueOf, valuesOf } from '../model/sections';
import type { Row } from '../model/sections';
import { useWords } from '../useWords';
import classes from '../fieldbus.module.css';

/** A task as the draft has it and as the gateway reported it; one of both may be missing. */
export interface Task {
  name: string;
  row: Row | null;
  report: ReportedLoopWrite | null;
}

export type Action = 'edit' | 'copy' | 'enable' | 'delete';

/** Tasks of the draft in its order, then those that only the gateway has. */
export function joined(rows: readonly Row[], reports: readonly ReportedLoopWrite[]): readonly Task[] {
  const byName = new Map(reports.map((report) => [report.name, report]));
  const drafted = rows.map((row): Task => {
    const name = String(row.name);
    return { name, row, report: byName.get(name) ?? null };
  });
  const names = new Set(drafted.map(({ name }) => name));
  const others = reports.filter(({ name }) => !names.has(name));
  return [...drafted, ...others.map((report): Task => ({ name: report.name, row: null, report }))];
}

interface Input {
  targets: readonly Target[];
  hindrance: string;
  onAction: (action: Action, row: Row) => void;
}

const MAX_BYTES = 12;
const QUIET: Readonly<Record<string, 'ok' | 'off'>> = { done: 'ok', waiting: 'off', disabled: 'off' };
/** What the gateway's words for outcomes are that commands have not. */
const OWN = new Set([...Object.keys(QUIET), 'clock_not_set']);

/** Columns of the loop-write tasks. */
export function useTaskColumns({ targets, hindrance, onAction }: Input): readonly Column<Task>[] {
  const { t } = useTranslation();
  const words = useWords();
  return useMemo(() => {
    const bytesOf = (row: Row): string => {
      const task = valuesOf(TASK_FIELDS, row);
      const target = targets.find(({ name }) => name === row.slave);
      try {
        const parts = frameOf(task, target, momentIn(String(task.time_zone), Date.now()));
        const bytes = parts.flatMap((part) => part.bytes);
        return bytes.length <= MAX_BYTES ? hexText(bytes) : `${hexText(bytes.slice(0, MAX_BYTES))} …`;
      } catch (error) {
        if (!(error instanceof BadContent)) throw error;
        return words.broken(error);
      }
    };
    const choiceOf = (row: Row, name: string): string => {
      const field = TASK_FIELDS.find((each) => each.name === name);
      return field === undefined ? '' : words.choice(field, String(valueOf(TASK_FIELDS, row, name)));
    };
    const outcome = ({ row, report }: Task): ReactElement => {
      if (report === null) return <ToneText tone="off">{t('fieldbus:outcome.unreported')}</ToneText>;
      const own = OWN.has(report.outcome) ? `fieldbus:outcome.${report.outcome}` : codeKey(report.outcome);
      return (
        <span>
          <ToneText tone={QUIET[report.outcome] ?? 'bad'}>{own === null ? report.outcome : t(own)}</ToneText>
          {row === null ? <ToneText tone="off">{t('fieldbus:outcome.removed')}</ToneText> : null}
        </span>
      );
    };
    const count = (id: 'sent' | 'failed' | 'missed'): Column<Task> => ({
      id,
      title: t(`fieldbus:column.${id}`),
      align: 'right',
      card: 'fact',
      text: ({ report }) => String(report?.[id] ?? ''),
      cell: ({ report }) => {
        if (report === null) return '–';
        return id === 'sent' || report[id] === 0 ? report[id] : <ToneText tone="warn">{report[id]}</ToneText>;
      },
    });
    const button = (action: Action, row: Row, icon: ReactElement, word: string): ReactElement => {
      const label = t(word, { name: row.name });
      return (
        <ActionIcon
          variant="subtle"
          aria-label={label}
          title={hindrance || label}
          disabled={hindrance !== ''}
          onClick={() => onAction(action, row)}
          data-testid={`task-${action}`}
        >
          {icon}
        </ActionIcon>
      );
    };
    const ofRow = (text: (row: Row) => string): Pick<Column<Task>, 'text' | 'cell'> => ({
      text: ({ row }) => (row === null ? '' : text(row)),
      cell: ({ row }) => (row === null ? '–' : text(row)),
    });
    return [
      {
        id: 'name',
        title: t('fieldbus:column.task'),
        text: ({ name }) => name,
        cell: ({ name, row }) => (
          <span>
            {name}
            {row?.enable === false ? <ToneText tone="off">{t('fieldbus:outcome.disabled')}</ToneText> : null}
          </span>
        ),
        fixed: true,
        card: 'title',
      },
      {
        id: 'outcome',
        title: t('fieldbus:column.outcome'),
        cell: outcome,
        text: ({ report }) => report?.outcome ?? '',
        card: 'mark',
      },
      {
        id: 'interval',
        title: t('fieldbus:column.interval'),
        ...ofRow((row) => `${String(row.interval_s)} s`),
        card: 'fact',
      },
      { id: 'slave', title: t('fieldbus:column.slave'), ...ofRow((row) => String(row.slave)), card: 'fact' },
      {
        id: 'message',
        title: t('fieldbus:column.message'),
        ...ofRow((row) => `${choiceOf(row, 'message')} · ${choiceOf(row, 'content')}`),
        card: 'fact',
      },
      {
        id: 'bytes',
        title: t('fieldbus:column.bytes'),
        text: ({ row }) => (row === null ? '' : bytesOf(row)),
        cell: ({ row }) => (row === null ? '–' : <span className={classes.hex}>{bytesOf(row)}</span>),
        card: 'fact',
      },
      count('sent'),
      count('failed'),
      count('missed'),
      {
        id: 'last',
        title: t('fieldbus:column.last'),
        text: lastOf,
        cell: lastOf,
        card: 'fact',
      },
      {
        id: 'error',
        title: t('fieldbus:column.error'),
        text: ({ report }) => report?.last_error ?? '',
        cell: ({ report }) =>
          report === null || report.last_error === '' ? (
            '–'
          ) : (
            <span>
              {report.last_error}
              <span className={classes.sub}>{formatDateTime(report.last_error_ms)}</span>
            </span>
          ),
        card: 'fact',
      },
      {
        id: ACTIONS,
        title: t('fieldbus:column.actions'),
        cell: ({ row }) =>
          row === null ? null : (
            <Group gap={2} wrap="nowrap">
              {button('edit', row, <IconPencil size={16} />, 'fieldbus:task.edit')}
              {button('copy', row, <IconCopy size={16} />, 'fieldbus:task.copy')}
              {row.enable === false
                ? button('enable', row, <IconPlayerPlay size={16} />, 'fieldbus:task.enable')
                : button('enable', row, <IconPlayerPause size={16} />, 'fieldbus:task.disable')}
              {button('delete', row, <IconTrash size={16} />, 'fieldbus:task.remove')}
            </Group>
          ),
      },
    ];
  }, [t, words, targets, hindrance, onAction]);
}

const lastOf = ({ report }: Task): string =>
  report === null || report.last_ms === 0 ? '–' : formatDateTime(report.last_ms);
