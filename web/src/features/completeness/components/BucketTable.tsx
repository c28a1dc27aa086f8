import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { READY } from '@/components/table/columns';
import type { Column } from '@/components/table/columns';
import { DataTable } from '@/components/table/DataTable';
import { ToneText } from '@/components/Tone';
import { percentText } from '@/lib/percent';
import type { Bucket, Completeness } from '../api';
import classes from '../completeness.module.css';
import { isOffline, isUnknown, markOf, toneOf } from '../strip';
import { useCollectionWords } from './useCollectionWords';
import { useCompletenessWords } from './useCompletenessWords';

const rowId = ({ start_ms }: Bucket): number => start_ms;

/** The same cells as a table, the newest first. */
export function BucketTable({ data }: { data: Completeness }): ReactElement {
  const { t } = useTranslation();
  const columns = useColumns(data.outages);
  const rows = useMemo(() => data.buckets.toReversed(), [data.buckets]);
  return (
    <DataTable
      name="bucket"
      label={t('completeness:cellsTable')}
      columns={columns}
      rows={rows}
      rowId={rowId}
      query={READY}
    />
  );
}

function useColumns(outages: Completeness['outages']): readonly Column<Bucket>[] {
  const { t } = useTranslation();
  const words = useCompletenessWords();
  const reads = useCollectionWords();
  return useMemo(() => {
    const count = (name: 'received' | 'late' | 'duplicates', card?: 'fact'): Column<Bucket> => ({
      id: name,
      title: t(`completeness:count.${name}`),
      cell: (bucket) => bucket[name],
      align: 'right',
      card,
    });
    const state = (bucket: Bucket): ReactElement => (
      <>
        <ToneText tone={toneOf(bucket)}>{t(`completeness:mark.${markOf(bucket)}`)}</ToneText>
        {isOffline(bucket, outages) ? <span className={classes.sub}>{t('completeness:mark.offline')}</span> : null}
      </>
    );
    const missing = (bucket: Bucket): ReactElement => (
      <>
        {bucket.missing}
        {bucket.missing === 0 ? null : <span className={classes.sub}>{words.missing(bucket.reasons)}</span>}
      </>
    );
    const missed = ({ collection }: Bucket): ReactElement => (
      <>
        {collection.percent === null && isUnknown(collection) ? '–' : collection.missed}
        {collection.missed === 0 ? null : <span className={classes.sub}>{reads.missed(collection)}</span>}
      </>
    );
    return [
      {
        id: 'period',
        title: t('completeness:column.period'),
        cell: (bucket) => <span className="number">{words.period(bucket)}</span>,
        fixed: true,
        card: 'title',
      },
      {
        id: 'collection',
        title: t('completeness:column.collection'),
        cell: (bucket) => percentText(bucket.collection.percent),
        align: 'right',
        card: 'fact',
      },
      {
        id: 'percent',
        title: t('completeness:column.percent'),
        cell: (bucket) => percentText(bucket.percent),
        align: 'right',
        card: 'fact',
      },
      { id: 'state', title: t('completeness:column.state'), cell: state, card: 'mark' },
      count('received', 'fact'),
      count('late'),
      count('duplicates'),
      { id: 'missed', title: t('completeness:collection.missed'), cell: missed, align: 'right', card: 'fact' },
      { id: 'missing', title: t('completeness:count.missing'), cell: missing, align: 'right', card: 'fact' },
    ];
  }, [t, words, reads, outages]);
}
