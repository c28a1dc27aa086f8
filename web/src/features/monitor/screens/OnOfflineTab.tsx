import { ActionIcon, Button, Group, Modal, Select, Switch, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { useTimeWords } from '@/components/live/useWords';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Paging } from '@/components/Paging';
import { RangePicker } from '@/components/RangePicker';
import { ToneText } from '@/components/Tone';
import { Trouble } from '@/components/Trouble';
import { useRange } from '@/components/useRange';
import { usePreferences } from '@/lib/preferences';
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
            label: seconds === 0 ? t('monitor:onoff.anyLength') : t('monitor:onoff.atLeast', { duration: duration(seconds * 1000) }),
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
        key={`${slaves}${shortest}${range.span.start_ms}`}
        from_ms={range.span.start_ms}
        to_ms={range.open ? undefined : range.span.end_ms}
        slaves={slaves}
        at_least_ms={shortest * 1000}
      />
    </>
  );
}

type LogProps = Pick<LogFilter, 'from_ms' | 'to_ms' | 'slaves' | 'at_least_ms'>;

function Log({ from_ms, to_ms, slaves, at_least_ms }: LogProps): ReactElement {
  const { t } = useTranslation();
  const { id } = useDevice();
  const limit = usePreferences((state) => state.pageSize);
  const setLimit = usePreferences((state) => state.setPageSize);
  const [page, setPage] = useState(1);
  const [deleting, setDeleting] = useState<OnOfflineEntry | null>(null);
  const query = useQuery(onOfflineQuery(id, { from_ms, to_ms, slaves, at_least_ms, page, limit }));
  if (query.data === undefined) {
    return query.error === null ? <PageSkeleton /> : <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data.total === 0) return <Empty title={t('monitor:onoff.nothing')} text={t('monitor:onoff.nothingText')} />;
  return (
    <>
      <LogTable rows={query.data.rows} onDelete={setDeleting} />
      <div className={classes.foot}>
        <Paging
          page={page}
          limit={limit}
          total={query.data.total}
          onPage={setPage}
          onLimit={(next) => {
            setLimit(next);
            setPage(1);
          }}
        />
      </div>
      {deleting === null ? null : <Delete entry={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

function LogTable({ rows, onDelete }: { rows: readonly OnOfflineEntry[]; onDelete: (entry: OnOfflineEntry) => void }): ReactElement {
  const { t } = useTranslation();
  return (
    <div className={classes.scroll}>
      <table className={classes.table} data-testid="onoff-table">
        <thead>
          <tr>
            <th scope="col">{t('monitor:onoff.who')}</th>
            <th scope="col">{t('monitor:onoff.from')}</th>
            <th scope="col">{t('monitor:onoff.until')}</th>
            <th scope="col" className={`${classes.right} ${classes.optional}`}>
              {t('monitor:onoff.duration')}
            </th>
            <th scope="col">{t('monitor:onoff.reason')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('monitor:column.action')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((entry) => (
            <Row key={entry.id} entry={entry} onDelete={onDelete} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function useWho(): (entry: OnOfflineEntry) => string {
  const { t } = useTranslation();
  return ({ slave, slave_title }) => (slave === null ? t('monitor:onoff.gateway') : slave_title || slave);
}

function Row({ entry, onDelete }: { entry: OnOfflineEntry; onDelete: (entry: OnOfflineEntry) => void }): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const who = useWho()(entry);
  const may = useMay('DeviceManage');
  const key = reasonKey(entry.reason);
  const lasts = entry.online_ms === null;
  return (
    <tr data-testid="onoff-row" data-slave={entry.slave ?? ''}>
      <th scope="row">{who}</th>
      <td className="number">{formatDateTime(entry.offline_ms)}</td>
      <td className="number">
        {entry.online_ms === null ? (
          <ToneText tone="bad" icon="plug">
            {t('monitor:onoff.lasts')}
          </ToneText>
        ) : (
          formatDateTime(entry.online_ms)
        )}
      </td>
      <td className={`${classes.right} ${classes.optional} number`}>{duration(entry.duration_ms)}</td>
      <td>{entry.lent_to ? t('monitor:lent.to', { user: entry.lent_to }) : key === null ? entry.reason : t(key)}</td>
      <td className={classes.right}>
        {may ? (
          <ActionIcon
            variant="default"
            size={28}
            disabled={lasts}
            title={lasts ? t('monitor:onoff.lastsRule') : undefined}
            onClick={() => onDelete(entry)}
            aria-label={t('monitor:onoff.deleteOne', { who, time: formatDateTime(entry.offline_ms) })}
            data-testid="onoff-delete"
          >
            <IconTrash size={15} stroke={1.6} />
          </ActionIcon>
        ) : null}
      </td>
    </tr>
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
    <Modal
      opened
      onClose={onClose}
      title={t('monitor:onoff.delete')}
      closeButtonProps={{ 'aria-label': t('base:action.close') }}
      data-testid="onoff-dialog"
    >
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
