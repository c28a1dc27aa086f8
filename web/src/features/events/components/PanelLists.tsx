import { ActionIcon, Select } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { MouseEvent, ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { AlarmLevelTag } from '@/blocks/alarms/AlarmLevelTag';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import { StatusBadge } from '@/components/StatusBadge';
import { DIALOG_TABLE_PX } from '@/components/table/DataTable';
import { Trouble } from '@/components/Trouble';
import { usePages, useStepBack } from '@/components/usePages';
import type { Pages } from '@/components/usePages';
import { onAlarm, onOnOff } from '@/lib/live';
import { useScreenLink } from '@/lib/navigation';
import { PAGE_SIZES } from '@/lib/preferences';
import { formatDateTime } from '@/lib/time';
import { ALARMS, EVENT_PAGE, levelsQuery, ON_OFFS, panelAlarmsQuery, panelOnOffsQuery } from '../api';
import classes from '../events.module.css';
import { causeOf, isRecovery } from '../handling';
import { deviceOf, slaveOf, useEventWords } from './useEventWords';
import { useFresh } from '@/components/useFresh';

interface ListQuery<Row> {
  data: { rows: readonly Row[]; total: number } | undefined;
  isPlaceholderData?: boolean;
  error: unknown;
  isFetching: boolean;
  refetch: () => unknown;
}

export function PanelAlarms({ onFollow }: { onFollow: () => void }): ReactElement {
  const pages = usePages('', EVENT_PAGE);
  const query = useQuery(panelAlarmsQuery(pages.page, pages.limit));
  useStepBack(pages, query);
  const { data: levels = [] } = useQuery(levelsQuery);
  const words = useEventWords();
  useFresh(onAlarm, ALARMS);
  return (
    <List query={query} pages={pages}>
      {(row) => (
        <Item key={row.id} path="/alarm/alarmlog" view="history" device={row.device_id} at={row.at} onFollow={onFollow}>
          <span className={classes.itemHead}>
            <AlarmLevelTag type={row.alarm_type} level={row.level} levels={levels} />
            {isRecovery(row.alarm_type) ? null : <StatusBadge kind="alarmState" code={row.state ?? 'normal'} />}
          </span>
          <strong>{[deviceOf(row), slaveOf(row)].filter(Boolean).join(' / ')}</strong>
          <span>{words.content(row)}</span>
        </Item>
      )}
    </List>
  );
}

export function PanelOnOffs({ onFollow }: { onFollow: () => void }): ReactElement {
  const pages = usePages('', EVENT_PAGE);
  const query = useQuery(panelOnOffsQuery(pages.page, pages.limit));
  useStepBack(pages, query);
  const words = useEventWords();
  useFresh(onOnOff, ON_OFFS);
  return (
    <List query={query} pages={pages}>
      {(row) => (
        <Item
          key={`${row.id}:${row.status}`}
          path="/alarm/onOffline"
          device={row.device_id}
          at={row.at}
          onFollow={onFollow}
        >
          <StatusBadge kind="onoff" code={row.status} />
          <strong>{[deviceOf(row), slaveOf(row)].filter(Boolean).join(' / ')}</strong>
          {causeOf(row) === '' ? null : <span>{words.reason(causeOf(row))}</span>}
        </Item>
      )}
    </List>
  );
}

interface ItemProps {
  path: string;
  view?: string;
  device: number;
  at: number;
  onFollow: () => void;
  children: ReactNode;
}

/** One event; leads to the log of its gateway. */
function Item({ path, view, device, at, onFollow, children }: ItemProps): ReactElement {
  const { href, onClick } = useScreenLink(path, { device, view });
  const follow = (event: MouseEvent): void => {
    onClick(event);
    onFollow();
  };
  return (
    <li>
      <a className={classes.item} href={href} onClick={follow} data-testid="event-item">
        {children}
        <time className={`${classes.time} number`}>{formatDateTime(at)}</time>
      </a>
    </li>
  );
}

function List<Row>({
  query,
  pages,
  children,
}: {
  query: ListQuery<Row>;
  pages: Pages;
  children: (row: Row) => ReactNode;
}): ReactElement {
  const { t } = useTranslation();
  const { data, error, isFetching, refetch } = query;
  return (
    <>
      <div className={classes.list} style={{ height: DIALOG_TABLE_PX }} aria-busy={isFetching}>
        {data === undefined ? (
          error === null ? (
            <PageSkeleton rows={4} />
          ) : (
            <Trouble error={error} onRetry={() => void refetch()} />
          )
        ) : data.rows.length === 0 ? (
          <Empty title={t('events:panel.nothing')} text={t('events:panel.nothingText')} />
        ) : (
          <ul className={classes.items}>{data.rows.map(children)}</ul>
        )}
      </div>
      <Foot pages={pages} total={data?.total ?? 0} />
    </>
  );
}

/** Paging for a narrow place. */
function Foot({ pages: { page, limit, setPage, setLimit }, total }: { pages: Pages; total: number }): ReactElement {
  const { t } = useTranslation();
  const last = Math.max(1, Math.ceil(total / limit));
  const from = total === 0 ? 0 : (page - 1) * limit + 1;
  return (
    <div className={classes.foot} role="group" aria-label={t('base:paging.label')}>
      <span className="number">{t('base:paging.range', { from, to: Math.min(total, page * limit), total })}</span>
      <Select
        aria-label={t('base:paging.size')}
        data={PAGE_SIZES.map((size) => ({ value: String(size), label: t('base:paging.sizeOption', { count: size }) }))}
        value={String(limit)}
        onChange={(value) => value !== null && setLimit(Number(value))}
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
        size="xs"
        w={104}
        data-testid="events-size"
      />
      <ActionIcon
        variant="default"
        size={28}
        disabled={page <= 1}
        onClick={() => setPage(page - 1)}
        aria-label={t('base:paging.previous')}
      >
        <IconChevronLeft size={16} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size={28}
        disabled={page >= last}
        onClick={() => setPage(page + 1)}
        aria-label={t('base:paging.next')}
        data-testid="events-next"
      >
        <IconChevronRight size={16} />
      </ActionIcon>
    </div>
  );
}
