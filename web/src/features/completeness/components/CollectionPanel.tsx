import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PreviousData } from '@/components/PreviousData';
import { Trouble } from '@/components/Trouble';
import { ToneText } from '@/components/Tone';
import { percentText } from '@/lib/percent';
import { serverNow } from '@/lib/serverClock';
import { formatDateTime } from '@/lib/time';
import type { Span } from '@/lib/time';
import { collectionQuery, LONGEST_COLLECTION_MS } from '../api';
import type { Collection } from '../api';
import { bandRows, reasonsOf } from '../band';
import type { BandRow, Segment } from '../band';
import classes from '../collection.module.css';
import { readsTone } from '../strip';
import { CollectionGapTable } from './CollectionGapTable';
import { useCollectionWords } from './useCollectionWords';

/** Rows shown at once; a gateway may have a thousand slaves. */
const AT_ONCE = 30;

interface Props {
  deviceId: number;
  span: Span;
}

/** What was read of each slave: a share, a band with its gaps, the points that fared worse, and the gaps as a list. */
export function CollectionPanel({ deviceId, span }: Props): ReactElement | null {
  const { t } = useTranslation();
  const visible = { start_ms: Math.max(span.start_ms, span.end_ms - LONGEST_COLLECTION_MS), end_ms: span.end_ms };
  const query = useQuery(collectionQuery(deviceId, visible));
  if (query.data === undefined) {
    return query.error === null ? null : <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  }
  const { data, isPlaceholderData: isOld } = query;
  return (
    <section className={classes.panel} data-testid="collection">
      <h2>{t('completeness:collection.bySlave')}</h2>
      {visible.start_ms === span.start_ms ? null : (
        <p className={classes.hint}>{t('completeness:collection.newest31')}</p>
      )}
      <PreviousData isOld={isOld}>
        <Band data={data} />
        <Points data={data} />
      </PreviousData>
      <CollectionGapTable
        deviceId={deviceId}
        span={visible}
        slaves={data.slaves}
        known={!isOld && (data.collection.percent !== null || data.collection.no_figure === 'nothing_expected')}
      />
    </section>
  );
}

function Band({ data }: { data: Collection }): ReactElement {
  const { t } = useTranslation();
  const [all, setAll] = useState(false);
  const rows = bandRows(
    data.collection,
    data.slaves,
    data.gaps,
    { start_ms: data.from_ms, end_ms: data.to_ms },
    serverNow(),
  );
  const unknown = [...new Set(rows.flatMap((row) => row.unknown.map(({ why }) => why)))];
  const seen = all ? rows : rows.slice(0, AT_ONCE);
  return (
    <>
      <div
        className={classes.band}
        role="list"
        aria-label={t('completeness:collection.bySlave')}
        data-testid="collection-band"
      >
        {seen.map((row) => (
          <Row key={row.slave ?? ''} row={row} data={data} />
        ))}
        <div className={classes.scale} aria-hidden>
          <span>{formatDateTime(data.from_ms).slice(0, -3)}</span>
          <span>{formatDateTime(data.to_ms).slice(0, -3)}</span>
        </div>
      </div>
      {rows.length <= seen.length ? null : (
        <Button variant="subtle" size="xs" onClick={() => setAll(true)}>
          {t('completeness:collection.all', { count: rows.length - 1 })}
        </Button>
      )}
      {data.gaps_total <= data.gaps.length ? null : (
        <p className={classes.hint}>
          {t('completeness:collection.newestGaps', { count: data.gaps.length, total: data.gaps_total })}
        </p>
      )}
      <ul className={classes.legend} aria-label={t('completeness:strip.legend')}>
        {reasonsOf(data.gaps).map((reason) => (
          <li key={reason} title={t(`completeness:missedWhy.${reason}`)}>
            <span className={classes.piece} data-reason={reason} />
            {t(`completeness:missed.${reason}`)}
          </li>
        ))}
        {unknown.map((why) => (
          <li key={why}>
            <span className={classes.piece} data-reason="not_reported" />
            {t(`completeness:unknown.${why}`)}
          </li>
        ))}
      </ul>
    </>
  );
}

function Row({ row, data }: { row: BandRow; data: Collection }): ReactElement {
  const { t } = useTranslation();
  const words = useCollectionWords();
  const figure = row.row === null ? data.collection : row.row.collection;
  const name = row.row === null ? t('completeness:collection.gateway') : (row.row.title ?? row.row.slave);
  return (
    <div className={classes.row} role="listitem" data-slave={row.slave ?? ''} data-testid="collection-row">
      <span className={classes.name} title={row.slave ?? undefined}>
        {name}
      </span>
      <span className={classes.share} title={words.why(figure)}>
        {figure.percent === null ? (
          words.why(figure)
        ) : (
          <ToneText tone={readsTone(figure)}>{percentText(figure.percent)}</ToneText>
        )}
      </span>
      <span
        className={classes.lane}
        data-empty={figure.percent === null}
        data-low={figure.percent !== null && figure.percent < 100 && row.row === null}
      >
        {row.unknown.map(({ why, left, width }) => (
          <span
            key={why}
            className={classes.piece}
            data-reason="not_reported"
            data-unknown={why}
            style={{ insetInlineStart: `${left}%`, inlineSize: `${width}%` }}
            title={t(`completeness:unknown.${why}`)}
          />
        ))}
        {row.segments.map((segment) => (
          <Mark key={segment.key} segment={segment} />
        ))}
      </span>
      <span className={classes.visuallyHidden}>
        {row.segments.map(({ gap }) => words.gap(gap)).join(t('completeness:comma'))}
      </span>
    </div>
  );
}

function Mark({ segment: { gap, left, width } }: { segment: Segment }): ReactElement {
  const words = useCollectionWords();
  return (
    <span
      className={classes.piece}
      data-reason={gap.reason}
      style={{ insetInlineStart: `${left}%`, inlineSize: `${width}%` }}
      title={words.gap(gap)}
    />
  );
}

/** Points that fared worse than their slave. */
function Points({ data }: { data: Collection }): ReactElement | null {
  const { t } = useTranslation();
  if (data.points.length === 0) return null;
  return (
    <details className={classes.points} data-testid="collection-points">
      <summary>{t('completeness:collection.points', { count: data.points.length })}</summary>
      <ul>
        {data.points.map((point) => (
          <li key={`${point.slave}.${point.point}`}>
            <span>{`${point.slave}.${point.point}`}</span> {point.title ?? ''}{' '}
            <span className="number">
              {percentText(point.percent)} ({point.good} / {point.expected})
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
