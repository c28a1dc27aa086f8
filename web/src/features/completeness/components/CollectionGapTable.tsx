import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '@/components/table/columns';
import { useScreenLink } from '@/lib/navigation';
import { formatDateTime } from '@/lib/time';
import type { Span } from '@/lib/time';
import { loadCollectionGaps } from '../api';
import type { CollectionGap, MissedReason, SlaveCollection } from '../api';
import { MISSED } from '../band';
import classes from '../completeness.module.css';
import { GapFilterSelect, GapTable } from './GapTable';
import { useCollectionWords } from './useCollectionWords';

interface Props {
  deviceId: number;
  span: Span;
  slaves: readonly SlaveCollection[];
  known: boolean;
}

const rowId = ({ id, from_ms }: CollectionGap): string => `${id}-${from_ms}`;

/** Times without a good read, the newest first: whose, why, and the history around it. known: whether anything was reported. */
export function CollectionGapTable({ deviceId, span, slaves, known }: Props): ReactElement {
  const { t } = useTranslation();
  const [slave, setSlave] = useState<string | null>(null);
  return (
    <GapTable<CollectionGap, MissedReason>
      name="collection-gap"
      title={t('completeness:collection.gaps')}
      queryKey={['collection', 'gaps', deviceId, slave]}
      load={(filter, signal) => loadCollectionGaps(deviceId, slave, filter, signal)}
      span={span}
      columns={useColumns(deviceId)}
      rowId={rowId}
      reasons={MISSED.map((value) => ({ value, label: t(`completeness:missed.${value}`) }))}
      filter={
        <GapFilterSelect
          label={t('completeness:collection.filterSlave')}
          all={t('completeness:collection.allSlaves')}
          choices={slaves.map((one) => ({ value: one.slave, label: one.title ?? one.slave }))}
          value={slave}
          onChange={setSlave}
          testId="collection-gap-slave"
        />
      }
      onClear={slave === null ? null : () => setSlave(null)}
      empty={{ title: t('completeness:collection.noGap'), text: t('completeness:collection.noGapText') }}
      known={known}
    />
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
const MIN_AROUND_MS = 300_000;

function Period({ gap, deviceId }: { gap: CollectionGap; deviceId: number }): ReactElement {
  const { t } = useTranslation();
  const around = Math.max(gap.to_ms - gap.from_ms, MIN_AROUND_MS);
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
