import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeWords } from '@/components/useTimeWords';
import { READY } from '@/components/table/columns';
import type { Column } from '@/components/table/columns';
import { DataTable } from '@/components/table/DataTable';
import { formatDateTime } from '@/lib/time';
import type { Completeness, OnOfflineEntry } from '../api';
import classes from '../completeness.module.css';
import { useCompletenessWords } from './useCompletenessWords';

/** Without a word from the gateway nobody knows whether it, or a slave of it, was away. */
export const isHeard = ({
  percent,
  dropped_samples,
  collection,
}: Pick<Completeness, 'percent' | 'dropped_samples' | 'collection'>): boolean =>
  percent !== null || dropped_samples > 0 || collection.percent !== null || collection.no_figure === 'nothing_expected';

const rowId = ({ id }: OnOfflineEntry): number => id;

/** When the gateway or one of its slaves was away: what was not measured then is no gap, but not there either. */
export function Outages({ data }: { data: Completeness }): ReactElement {
  const { t } = useTranslation();
  const columns = useColumns();
  return (
    <section className={classes.section}>
      <div className={classes.bar}>
        <h2>{t('completeness:outages.title')}</h2>
        {data.outages_total > data.outages.length ? (
          <span className={classes.hint}>
            {t('completeness:outages.newest', { count: data.outages.length, total: data.outages_total })}
          </span>
        ) : null}
      </div>
      <DataTable
        name="outage"
        label={t('completeness:outages.title')}
        columns={columns}
        rows={data.outages}
        rowId={rowId}
        query={READY}
        empty={{ title: t(isHeard(data) ? 'completeness:outages.nothing' : 'completeness:nothingKnown') }}
      />
    </section>
  );
}

function useColumns(): readonly Column<OnOfflineEntry>[] {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const words = useCompletenessWords();
  return useMemo(
    () => [
      {
        id: 'who',
        title: t('completeness:column.who'),
        fixed: true,
        card: 'title',
        cell: (entry) =>
          entry.slave === null ? t('completeness:outages.gateway') : (entry.slave_title ?? entry.slave),
      },
      {
        id: 'offline',
        title: t('completeness:column.offline'),
        cell: (entry) => <span className="number">{formatDateTime(entry.offline_ms)}</span>,
        card: 'fact',
      },
      {
        id: 'online',
        title: t('completeness:column.online'),
        card: 'fact',
        cell: (entry) => (
          <span className="number">
            {entry.online_ms === null ? t('completeness:outages.lasts') : formatDateTime(entry.online_ms)}
          </span>
        ),
      },
      {
        id: 'duration',
        title: t('completeness:column.duration'),
        cell: (entry) => duration(entry.duration_ms),
        align: 'right',
        card: 'mark',
      },
      { id: 'reason', title: t('completeness:column.reason'), cell: words.away, card: 'fact' },
    ],
    [t, duration, words],
  );
}
