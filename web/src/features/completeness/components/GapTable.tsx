import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Paging } from '@/components/Paging';
import type { Column } from '@/components/table/columns';
import { DataTable } from '@/components/table/DataTable';
import { ToneText } from '@/components/Tone';
import { usePages, useStepBack } from '@/components/usePages';
import { formatDateTime } from '@/lib/time';
import type { Span } from '@/lib/time';
import { gapsQuery } from '../api';
import type { GapEntry, Reason } from '../api';
import classes from '../completeness.module.css';
import { REASONS } from '../strip';

interface Props {
  deviceId: number;
  span: Span;
  known: boolean;
}

/** Every gap that touches the period, filled ones too: found when, why, and filled when. known: whether any batch was numbered. */
export function GapTable({ deviceId, span, known }: Props): ReactElement {
  const { t } = useTranslation();
  const [reason, setReason] = useState<Reason | null>(null);
  return (
    <section className={classes.section}>
      <div className={classes.bar}>
        <h2>{t('completeness:gaps.title')}</h2>
        <Select
          aria-label={t('completeness:gaps.filter')}
          data={[
            { value: '', label: t('completeness:gaps.all') },
            ...REASONS.map((each) => ({ value: each, label: t(`completeness:gap.${each}`) })),
          ]}
          value={reason ?? ''}
          onChange={(value) => setReason(REASONS.find((each) => each === value) ?? null)}
          allowDeselect={false}
          w={190}
          data-testid="gap-filter"
        />
      </div>
      <Gaps key={`${reason}${span.start_ms}`} deviceId={deviceId} span={span} reason={reason} known={known} />
    </section>
  );
}

const rowId = ({ id }: GapEntry): number => id;
const rowData = ({ reason }: GapEntry) => ({ 'data-reason': reason });

function Gaps({ deviceId, span, reason, known }: Props & { reason: Reason | null }): ReactElement {
  const { t } = useTranslation();
  const pages = usePages();
  const { page, limit } = pages;
  const query = useQuery(gapsQuery(deviceId, { ...span, reason, page, limit }));
  useStepBack(pages, query);
  const columns = useColumns();
  const total = query.data?.total ?? 0;
  return (
    <>
      <DataTable
        name="gap"
        label={t('completeness:gaps.title')}
        columns={columns}
        rows={query.data?.rows ?? []}
        rowId={rowId}
        rowData={rowData}
        query={query}
        total={total}
        before={(page - 1) * limit}
        empty={
          known
            ? { title: t('completeness:gaps.nothing'), text: t('completeness:gaps.nothingText') }
            : { title: t('completeness:nothingKnown') }
        }
      />
      <Paging pages={pages} total={total} />
    </>
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
