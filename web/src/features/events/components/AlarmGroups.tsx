import { ActionIcon, Tooltip } from '@mantine/core';
import { IconEyeCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import type { Column } from '@/components/table/columns';
import { acknowledgeGroup, ALARMS, levelsQuery, loadGroups } from '../api';
import type { AlarmGroup, Members as Which, Part } from '../api';
import classes from '../events.module.css';
import { filtersOf } from '../views';
import type { ListView } from '../views';
import { Members } from './Members';
import { Moment, momentText } from './Moment';
import { useNoAlarms } from './NoAlarms';
import { useAlarmColumns } from './useAlarmColumns';
import { useAlarmFilters } from './useAlarmFilters';
import { useEventWords } from './useEventWords';
import { usePeriod } from './usePeriod';

const NO_LEVELS: readonly never[] = [];
const OF_NEWEST = ['type', 'device', 'slave', 'content'] as const;
const EVER = {};

const membersOf = ({ device_id, rule_id, alarm_type }: AlarmGroup): Which => ({
  device_id,
  alarm_rule_id: rule_id ?? 0,
  type: alarm_type,
});
const rowActions = (row: AlarmGroup): ReactElement => <AcknowledgeAll row={row} />;

/** Repeats of an alarm as one row with their number; a click shows them. */
export function AlarmGroups({ view }: { view: ListView }): ReactElement {
  const { t } = useTranslation();
  const words = useEventWords();
  const [open, setOpen] = useState<AlarmGroup | null>(null);
  const { data: levels = NO_LEVELS } = useQuery(levelsQuery);
  const columns = useGroupColumns(levels);
  const all = useAlarmFilters(levels, view);
  const filters = useMemo(() => filtersOf(view, all), [view, all]);
  const period = usePeriod();
  const empty = useNoAlarms(undefined, view);
  const part = useMemo<Part>(() => (view === 'history' ? {} : { view }), [view]);
  const resource = useMemo<Resource<AlarmGroup>>(
    () => ({
      name: 'alarmGroups',
      title: t('events:title.alarms'),
      queryKey: [...ALARMS, 'groups', view],
      load: (request, signal) =>
        loadGroups(request, view === 'history' ? period() : EVER, signal, { ...part, folded: true }),
      rowId: ({ device_id, rule_id, alarm_type }) => `${device_id}:${rule_id ?? 0}:${alarm_type}`,
      columns,
      filters,
      rowActions,
      onOpen: setOpen,
      empty,
    }),
    [t, view, part, columns, filters, period, empty],
  );
  return (
    <>
      <ResourcePage resource={resource} />
      {open === null ? null : (
        <Members
          title={`${words.device(open.newest)} · ${words.content(open.newest) || t('events:title.alarms')}`}
          members={membersOf(open)}
          part={part}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}

function useGroupColumns(levels: Parameters<typeof useAlarmColumns>[0]): readonly Column<AlarmGroup>[] {
  const { t } = useTranslation();
  const all = useAlarmColumns(levels);
  return useMemo(() => {
    const ofNewest = all
      .filter(({ id }) => (OF_NEWEST as readonly string[]).includes(id))
      .map(({ id, title, fixed, card, cell, text }): Column<AlarmGroup> => ({
        id,
        title,
        fixed,
        card,
        cell: ({ newest }) => cell(newest),
        ...(text === undefined ? {} : { text: ({ newest }) => text(newest) }),
      }));
    return [
      {
        id: 'count',
        title: t('events:group.count'),
        card: 'fact',
        cell: ({ count }) => <strong className="number">{`× ${count}`}</strong>,
        text: ({ count }) => String(count),
      },
      ...ofNewest,
      {
        id: 'unacknowledged',
        title: t('events:group.unacknowledged'),
        card: 'fact',
        cell: ({ unacknowledged }) => <span className="number">{unacknowledged}</span>,
        text: ({ unacknowledged }) => String(unacknowledged),
      },
      {
        id: 'first',
        title: t('events:group.first'),
        cell: ({ first_ms }) => <Moment ms={first_ms} />,
        text: ({ first_ms }) => momentText(first_ms),
      },
      {
        id: 'newest',
        title: t('events:group.newest'),
        card: 'fact',
        cell: ({ newest }) => <Moment ms={newest.at} />,
        text: ({ newest }) => momentText(newest.at),
      },
    ];
  }, [t, all]);
}

function AcknowledgeAll({ row }: { row: AlarmGroup }): ReactElement | null {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const ack = useMutation({
    mutationFn: () => acknowledgeGroup(membersOf(row)),
    onSettled: () => void cache.invalidateQueries({ queryKey: ['event'] }),
  });
  if (row.unacknowledged === 0) return null;
  const label = t('events:ack.all', { count: row.unacknowledged });
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.quick}
        disabled={ack.isPending}
        onClick={() => ack.mutate()}
        aria-label={label}
        data-testid="acknowledge-group"
      >
        <IconEyeCheck size={16} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
