import { ActionIcon, Button, Group, Modal, Select, Switch, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeWords } from '@/components/useTimeWords';
import { RangePicker } from '@/components/RangePicker';
import type { Column } from '@/components/table/columns';
import { PagedTable } from '@/components/table/PagedTable';
import { ToneText } from '@/components/Tone';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { usePages, useStepBack } from '@/components/usePages';
import { useRange } from '@/components/useRange';
import { reasonKey } from '@/lib/reasons';
import { useMay } from '@/lib/session';
import { useTab } from '@/lib/tab';
import { formatDateTime } from '@/lib/time';
import { deleteOnOfflineEntry, onOfflineQuery } from '../api';
import type { LogFilter, OnOfflineEntry } from '../api';
import { useDevice } from '../components/useDevice';
import classes from '../monitor.module.css';

/** Absences that are shown: of any length, or from so many seconds on. */
const SHORTEST_S = [0, 1, 10, 60, 600, 3600] as const;

function shortestOf(text: string | undefined): number {
  return SHORTEST_S.find((seconds) => String(seconds) === text) ?? 0;
}

/** When the gateway and its slaves were away, and why. */
export default function OnOfflineTab(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const { duration } = useTimeWords();
  const range = useRange('past7Days');
  const slaves = search.slaves !== 'no';
  const shortest = shortestOf(search.shortest);
  return (
    <>
      <div className={classes.bar}>
        <h2>{t('monitor:tab.onoff')}</h2>
        <Switch
          label={t('monitor:onoff.slaves')}
          checked={slaves}
          onChange={(event) => setSearch({ slaves: event.currentTarget.checked ? undefined : 'no' })}
          data-testid="onoff-slaves"
        />
        <Select
          aria-label={t('monitor:onoff.shortest')}
          data={SHORTEST_S.map((seconds) => ({
            value: String(seconds),
            label:
              seconds === 0
                ? t('monitor:onoff.anyLength')
                : t('monitor:onoff.atLeast', { duration: duration(seconds * 1000) }),
          }))}
          value={String(shortest)}
          onChange={(value) => setSearch({ shortest: value === '0' || value === null ? undefined : value })}
          allowDeselect={false}
          w={170}
          data-testid="onoff-shortest"
        />
        <RangePicker quick={range.quick} span={range.span} onQuick={range.setQuick} onCustom={range.setCustom} />
      </div>
      <Log
        key={`${slaves}/${shortest}/${range.span.start_ms}/${range.span.end_ms}`}
        from_ms={range.span.start_ms}
        to_ms={range.open ? undefined : range.span.end_ms}
        slaves={slaves}
        at_least_ms={shortest * 1000}
        onClear={slaves && shortest === 0 ? undefined : () => setSearch({ slaves: undefined, shortest: undefined })}
      />
    </>
  );
}

interface LogProps extends Pick<LogFilter, 'from_ms' | 'to_ms' | 'slaves' | 'at_least_ms'> {
  /** Takes the filters away; undefined while none is set. */
  onClear: (() => void) | undefined;
}

const rowId = ({ id }: OnOfflineEntry): number => id;
const rowData = ({ slave }: OnOfflineEntry) => ({ 'data-slave': slave ?? '' });

function Log({ from_ms, to_ms, slaves, at_least_ms, onClear }: LogProps): ReactElement {
  const { t } = useTranslation();
  const { id } = useDevice();
  const pages = usePages();
  const { page, limit } = pages;
  const [deleting, setDeleting] = useState<OnOfflineEntry | null>(null);
  const query = useQuery(onOfflineQuery(id, { from_ms, to_ms, slaves, at_least_ms, page, limit }));
  useStepBack(pages, query);
  const columns = useColumns(setDeleting);
  return (
    <>
      <PagedTable
        name="onoff"
        label={t('monitor:tab.onoff')}
        columns={columns}
        rowId={rowId}
        rowData={rowData}
        pages={pages}
        query={query}
        filtered={onClear !== undefined}
        onClear={onClear}
        empty={{ title: t('monitor:onoff.nothing'), text: t('monitor:onoff.nothingText') }}
      />
      {deleting === null ? null : <Delete entry={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

function useWho(): (entry: OnOfflineEntry) => string {
  const { t } = useTranslation();
  return useCallback(
    ({ slave, slave_title }) => (slave === null ? t('monitor:onoff.gateway') : slave_title || slave),
    [t],
  );
}

function useColumns(onDelete: (entry: OnOfflineEntry) => void): readonly Column<OnOfflineEntry>[] {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const who = useWho();
  const may = useMay('DeviceManage');
  const hindrance = useHindrance('DeviceManage', useDevice());
  return useMemo(() => {
    const reason = ({ lent_to: user, reason: code }: OnOfflineEntry): string => {
      const key = reasonKey(code);
      if (user) return t('monitor:lent.to', { user });
      return key === null ? code : t(key);
    };
    const columns: Column<OnOfflineEntry>[] = [
      { id: 'who', title: t('monitor:onoff.who'), cell: who, fixed: true, card: 'title' },
      {
        id: 'from',
        title: t('monitor:onoff.from'),
        cell: (entry) => <span className="number">{formatDateTime(entry.offline_ms)}</span>,
        card: 'fact',
      },
      { id: 'until', title: t('monitor:onoff.until'), cell: (entry) => <Until entry={entry} />, card: 'fact' },
      {
        id: 'duration',
        title: t('monitor:onoff.duration'),
        cell: (entry) => duration(entry.duration_ms),
        align: 'right',
        card: 'mark',
      },
      { id: 'reason', title: t('monitor:onoff.reason'), cell: reason, card: 'fact' },
    ];
    const remove = (entry: OnOfflineEntry): ReactElement => (
      <DeleteButton entry={entry} who={who(entry)} hindrance={hindrance} onDelete={onDelete} />
    );
    return may
      ? [...columns, { id: 'actions', title: t('base:table.actions'), cell: remove, align: 'right' }]
      : columns;
  }, [t, duration, who, may, hindrance, onDelete]);
}

function Until({ entry }: { entry: OnOfflineEntry }): ReactElement {
  const { t } = useTranslation();
  if (entry.online_ms !== null) return <span className="number">{formatDateTime(entry.online_ms)}</span>;
  return (
    <ToneText tone="bad" icon="plug">
      {t('monitor:onoff.lasts')}
    </ToneText>
  );
}

interface DeleteProps {
  entry: OnOfflineEntry;
  who: string;
  /** Why it may not be deleted; empty when it may. */
  hindrance: string;
  onDelete: (entry: OnOfflineEntry) => void;
}

function DeleteButton({ entry, who, hindrance, onDelete }: DeleteProps): ReactElement {
  const { t } = useTranslation();
  const lasts = entry.online_ms === null;
  return (
    <ActionIcon
      variant="default"
      size={28}
      disabled={lasts || hindrance !== ''}
      title={hindrance || (lasts ? t('monitor:onoff.lastsRule') : undefined)}
      onClick={() => onDelete(entry)}
      aria-label={t('monitor:onoff.deleteOne', { who, time: formatDateTime(entry.offline_ms) })}
      data-testid="onoff-delete"
    >
      <IconTrash size={15} stroke={1.6} />
    </ActionIcon>
  );
}

function Delete({ entry, onClose }: { entry: OnOfflineEntry; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const who = useWho()(entry);
  const remove = useMutation({
    mutationFn: () => deleteOnOfflineEntry(entry.id),
    onSuccess: onClose,
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: ['onofflinelog'] });
      void cache.invalidateQueries({ queryKey: ['completeness'] });
    },
  });
  return (
    <Modal opened onClose={onClose} title={t('monitor:onoff.delete')} data-testid="onoff-dialog">
      <Text size="sm">{t('monitor:onoff.deleteText', { who, time: formatDateTime(entry.offline_ms) })}</Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          {t('base:action.cancel')}
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()} data-testid="onoff-confirm">
          {t('monitor:onoff.delete')}
        </Button>
      </Group>
    </Modal>
  );
}
