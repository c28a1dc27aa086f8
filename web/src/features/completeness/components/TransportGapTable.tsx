import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import type { Span } from '@/lib/time';
import { loadGaps } from '../api';
import type { GapEntry, Reason } from '../api';
import classes from '../completeness.module.css';
import { REASONS } from '../strip';
import { GapTable } from './GapTable';

interface Props {
  deviceId: number;
  span: Span;
  known: boolean;
}

const rowId = ({ id }: GapEntry): number => id;

/** Every gap that touches the period, filled ones too: found when, why, and filled when. known: whether any batch was numbered. */
export function TransportGapTable({ deviceId, span, known }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <section className={classes.section}>
      <GapTable<GapEntry, Reason>
        name="gap"
        title={t('completeness:gaps.title')}
        queryKey={['gaps', deviceId]}
        load={(filter, signal) => loadGaps(deviceId, filter, signal)}
        span={span}
        columns={useColumns()}
        rowId={rowId}
        reasons={REASONS.map((value) => ({ value, label: t(`completeness:gap.${value}`) }))}
        empty={{ title: t('completeness:gaps.nothing'), text: t('completeness:gaps.nothingText') }}
        known={known}
      />
    </section>
  );
}

function useColumns(): readonly Column<GapEntry>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'period',
        title: t('completeness:column.period'),
        cell: (gap) => <Period gap={gap} />,
        fixed: true,
        card: 'title',
      },
      { id: 'reason', title: t('completeness:column.reason'), cell: (gap) => <Why gap={gap} />, card: 'fact' },
      {
        id: 'missing',
        title: t('completeness:column.stillMissing'),
        align: 'right',
        card: 'fact',
        cell: (gap) => `${gap.missing} / ${gap.last_seq - gap.first_seq + 1}`,
      },
      {
        id: 'found',
        title: t('completeness:column.found'),
        cell: (gap) => <span className="number">{formatDateTime(gap.found_ms)}</span>,
        card: 'fact',
      },
      { id: 'filled', title: t('completeness:column.filled'), cell: (gap) => <Filled gap={gap} />, card: 'mark' },
    ],
    [t],
  );
}

function Period({ gap }: { gap: GapEntry }): ReactElement {
  const { t } = useTranslation();
  return (
    <span className="number">
      {formatDateTime(gap.from_ms)} – {formatDateTime(gap.to_ms)}
      <span className={`${classes.sub} ${classes.mono}`}>
        {t('completeness:gaps.batches', { first: gap.first_seq, last: gap.last_seq })}
      </span>
    </span>
  );
}

function Why({ gap }: { gap: GapEntry }): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      {t(`completeness:gap.${gap.reason}`)}
      {gap.filled_ms !== null ? null : <span className={classes.sub}>{t(`completeness:why.${gap.reason}`)}</span>}
    </>
  );
}

function Filled({ gap }: { gap: GapEntry }): ReactElement {
  const { t } = useTranslation();
  if (gap.filled_ms !== null) return <ToneText tone="ok">{formatDateTime(gap.filled_ms)}</ToneText>;
  const isTemporary = gap.reason === 'held';
  return (
    <ToneText tone={isTemporary ? 'warn' : 'bad'}>
      {t(isTemporary ? 'completeness:gaps.underWay' : 'completeness:gaps.open')}
    </ToneText>
  );
}
