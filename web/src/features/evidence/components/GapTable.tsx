import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Paging } from '@/components/Paging';
import { ToneText } from '@/components/Tone';
import { Trouble } from '@/components/Trouble';
import { usePreferences } from '@/lib/preferences';
import { formatDateTime } from '@/lib/time';
import type { Span } from '@/lib/time';
import { gapsQuery } from '../api';
import type { GapEntry, Reason } from '../api';
import classes from '../evidence.module.css';
import { REASONS } from '../strip';

interface Props {
  deviceId: number;
  span: Span;
}

/** Every gap that touches the period, filled ones too: found when, why, and filled when. */
export function GapTable({ deviceId, span }: Props): ReactElement {
  const { t } = useTranslation();
  const [reason, setReason] = useState<Reason | null>(null);
  return (
    <section className={classes.section}>
      <div className={classes.bar}>
        <h2>{t('evidence:gaps.title')}</h2>
        <Select
          aria-label={t('evidence:gaps.filter')}
          data={[
            { value: '', label: t('evidence:gaps.all') },
            ...REASONS.map((each) => ({ value: each, label: t(`evidence:gap.${each}`) })),
          ]}
          value={reason ?? ''}
          onChange={(value) => setReason(REASONS.find((each) => each === value) ?? null)}
          allowDeselect={false}
          w={190}
          data-testid="gap-filter"
        />
      </div>
      <Gaps key={`${reason}${span.start_ms}`} deviceId={deviceId} span={span} reason={reason} />
    </section>
  );
}

function Gaps({ deviceId, span, reason }: Props & { reason: Reason | null }): ReactElement {
  const { t } = useTranslation();
  const [page, setPage] = useState(1);
  const limit = usePreferences((state) => state.pageSize);
  const setLimit = usePreferences((state) => state.setPageSize);
  const query = useQuery(gapsQuery(deviceId, { ...span, reason, page, limit }));
  if (query.data === undefined) {
    return query.error === null ? <PageSkeleton rows={3} /> : <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data.total === 0) return <Empty title={t('evidence:gaps.nothing')} text={t('evidence:gaps.nothingText')} />;
  return (
    <>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('evidence:gaps.title')}>
        <table className={classes.table} data-testid="gap-table">
          <thead>
            <tr>
              <th scope="col">{t('evidence:column.period')}</th>
              <th scope="col">{t('evidence:column.reason')}</th>
              <th scope="col" className={classes.right}>
                {t('evidence:column.stillMissing')}
              </th>
              <th scope="col" className={classes.optional}>
                {t('evidence:column.found')}
              </th>
              <th scope="col">{t('evidence:column.filled')}</th>
            </tr>
          </thead>
          <tbody>
            {query.data.rows.map((gap) => (
              <GapRow key={gap.id} gap={gap} />
            ))}
          </tbody>
        </table>
      </div>
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
    </>
  );
}

function GapRow({ gap }: { gap: GapEntry }): ReactElement {
  const { t } = useTranslation();
  const isFilled = gap.filled_ms !== null;
  const isTemporary = gap.reason === 'held';
  return (
    <tr data-testid="gap-row" data-reason={gap.reason}>
      <th scope="row" className={`${classes.gapPeriod} number`}>
        {formatDateTime(gap.from_ms)} – {formatDateTime(gap.to_ms)}
        <span className={`${classes.sub} ${classes.mono}`}>
          {t('evidence:gaps.batches', { first: gap.first_seq, last: gap.last_seq })}
        </span>
      </th>
      <td className={classes.gapReason}>
        {t(`evidence:gap.${gap.reason}`)}
        {isFilled ? null : <span className={classes.sub}>{t(`evidence:why.${gap.reason}`)}</span>}
      </td>
      <td className={`${classes.right} number`}>
        {gap.missing} / {gap.last_seq - gap.first_seq + 1}
      </td>
      <td className={`${classes.optional} number`}>{formatDateTime(gap.found_ms)}</td>
      <td className={`${classes.gapEnd} number`}>
        {isFilled && gap.filled_ms !== null ? (
          <ToneText tone="ok">{formatDateTime(gap.filled_ms)}</ToneText>
        ) : (
          <ToneText tone={isTemporary ? 'warn' : 'bad'}>{t(isTemporary ? 'evidence:gaps.underWay' : 'evidence:gaps.open')}</ToneText>
        )}
      </td>
    </tr>
  );
}
