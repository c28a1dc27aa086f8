import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Paging } from '@/components/Paging';
import type { Column } from '@/components/table/columns';
import { DataTable } from '@/components/table/DataTable';
import { usePages, useStepBack } from '@/components/usePages';
import { useScreenLink } from '@/lib/navigation';
import { formatDateTime } from '@/lib/time';
import type { Span } from '@/lib/time';
import { collectionGapsQuery } from '../api';
import type { CollectionGap, MissedReason, SlaveCollection } from '../api';
import { MISSED } from '../band';
import classes from '../completeness.module.css';
import { useCollectionWords } from './useCollectionWords';

interface Props {
  deviceId: number;
  span: Span;
  slaves: readonly SlaveCollection[];
  known: boolean;
}

/** Times without a good read, the newest first: whose, why, and the history around it. known: whether anything was reported. */
export function CollectionGapTable({ deviceId, span, slaves, known }: Props): ReactElement {
  const { t } = useTranslation();
  const [slave, setSlave] = useState<string | null>(null);
  const [reason, setReason] = useState<MissedReason | null>(null);
  return (
    <>
      <div className={classes.bar}>
        <h2>{t('completeness:collection.gaps')}</h2>
        <Select
          aria-label={t('completeness:collection.filterSlave')}
          placeholder={t('completeness:collection.allSlaves')}
          data={slaves.map((one) => ({ value: one.slave, label: one.title ?? one.slave }))}
          value={slave}
          onChange={setSlave}
          clearable
          searchable
          w={190}
        />
        <Select
          aria-label={t('completeness:gaps.filter')}
          placeholder={t('completeness:gaps.all')}
          data={MISSED.map((value) => ({ value, label: t(`completeness:missed.${value}`) }))}
          value={reason}
          onChange={(value) => setReason(MISSED.find((each) => each === value) ?? null)}
          clearable
          w={190}
          data-testid="collection-gap-filter"
        />
      </div>
      <Gaps
        key={`${slave}/${reason}/${span.start_ms}`}
        deviceId={deviceId}
        span={span}
        slave={slave}
        reason={reason}
        known={known}
      />
    </>
  );
}

const rowId = ({ id, from_ms }: CollectionGap): string => `${id}-${from_ms}`;
const rowData = ({ reason }: CollectionGap) => ({ 'data-reason': reason });

interface Wanted {
  deviceId: number;
  span: Span;
  slave: string | null;
  reason: MissedReason | null;
  known: boolean;
}

function Gaps({ deviceId, span, slave, reason, known }: Wanted): ReactElement {
  const { t } = useTranslation();
  const pages = usePages();
  const { page, limit } = pages;
  const query = useQuery(collectionGapsQuery(deviceId, { ...span, slave, reason, page, limit }));
  useStepBack(pages, query);
  const columns = useColumns(deviceId);
  const total = query.data?.total ?? 0;
  return (
    <>
      <DataTable
        name="collection-gap"
        label={t('completeness:collection.gaps')}
        columns={columns}
        rows={query.data?.rows ?? []}
        rowId={rowId}
        rowData={rowData}
        query={query}
        total={total}
        before={(page - 1) * limit}
        empty={
          known
            ? { title: t('completeness:collection.noGap'), text: t('completeness:collection.noGapText') }
            : { title: t('completeness:nothingKnown') }
        }
      />
      <Paging pages={pages} total={total} />
    </>
  );
}

function useColumns(deviceId: number): readonly Column<CollectionGap>[] {
  const { t } = useTranslation();
  const words = useCollectionWords();
  return useMemo(
    () => [
      {
        id: 'period',
        title: t('completeness:column.period'),
        cell: (gap) => <Period gap={gap} deviceId={deviceId} />,
        fixed: true,
        card: 'title',
      },
      {
        id: 'who',
        title: t('completeness:column.who'),
        card: 'fact',
        cell: (gap) => (
          <>
            {gap.slave ?? t('completeness:collection.gateway')}
            {gap.points.length === 0 ? null : (
              <span className={`${classes.sub} ${classes.mono}`}>{gap.points.join(', ')}</span>
            )}
          </>
        ),
      },
      {
        id: 'reason',
        title: t('completeness:column.reason'),
        card: 'mark',
        cell: (gap) => (
          <>
            {words.reason(gap)}
            <span className={classes.sub}>{t(`completeness:missedWhy.${gap.reason}`)}</span>
          </>
        ),
      },
      {
        id: 'missed',
        title: t('completeness:collection.missed'),
        cell: (gap) => (gap.missed === 0 ? '–' : gap.missed),
        align: 'right',
        card: 'fact',
      },
    ],
    [t, words, deviceId],
  );
}

/** Around a gap its own length is shown, five minutes at least, so that one sees what came before and after. */
const LEAST_AROUND_MS = 300_000;

function Period({ gap, deviceId }: { gap: CollectionGap; deviceId: number }): ReactElement {
  const { t } = useTranslation();
  const around = Math.max(gap.to_ms - gap.from_ms, LEAST_AROUND_MS);
  const link = useScreenLink('/deviceDetail/index', {
    device_id: deviceId,
    tab: 'history',
    start: gap.from_ms - around,
    end: gap.to_ms + around,
  });
  return (
    <span className="number">
      {formatDateTime(gap.from_ms)} – {formatDateTime(gap.to_ms)}
      <a className={classes.sub} {...link}>
        {t('completeness:collection.toHistory')}
      </a>
    </span>
  );
}
