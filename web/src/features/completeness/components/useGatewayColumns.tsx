import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { useScreenLink } from '@/lib/navigation';
import { percentText } from '@/lib/percent';
import type { GatewayCompleteness } from '../api';
import classes from '../completeness.module.css';
import { isUnknown, readsTone, transportTone } from '../strip';
import { useCollectionWords } from './useCollectionWords';
import { useCompletenessWords } from './useCompletenessWords';

/** As it stands in the address: a link to a gateway shows the same period. */
interface Period {
  range: string | undefined;
  start: string | undefined;
  end: string | undefined;
}

const COUNTS = ['received', 'late', 'duplicates', 'missing', 'dropped'] as const;
/** The share is on a phone's card anyway; these are beside it. */
const ON_CARDS: ReadonlySet<string> = new Set(['received', 'missing']);
/** Harmless: hidden by default, because the reason needs their width. */
const ASIDE: ReadonlySet<string> = new Set(['late', 'duplicates']);

export function useGatewayColumns({ range, start, end }: Period): readonly Column<GatewayCompleteness>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const period = { range, start, end };
    const counts = COUNTS.map((name): Column<GatewayCompleteness> => ({
      id: name,
      title: t(`completeness:count.${name}`),
      align: 'right',
      hidden: ASIDE.has(name),
      card: ON_CARDS.has(name) ? 'fact' : undefined,
      cell: (row) => (name === 'dropped' ? row.dropped_samples : row[name]),
    }));
    return [
      {
        id: 'gateway',
        title: t('completeness:column.gateway'),
        cell: (row) => <Gateway row={row} period={period} />,
        fixed: true,
        card: 'title',
      },
      {
        id: 'collection',
        title: t('completeness:column.collection'),
        cell: (row) => <Reads row={row} />,
        card: 'mark',
      },
      { id: 'percent', title: t('completeness:column.percent'), cell: (row) => <Share row={row} />, card: 'fact' },
      {
        id: 'missed',
        title: t('completeness:collection.missed'),
        align: 'right',
        card: 'fact',
        cell: ({ collection: of }) => (of.percent === null && isUnknown(of) ? '–' : of.missed),
      },
      ...counts,
      {
        id: 'reason',
        title: t('completeness:column.reason'),
        cell: (row) => <Why row={row} />,
        card: 'fact',
      },
    ];
  }, [t, range, start, end]);
}

function Gateway({ row, period: { range, start, end } }: { row: GatewayCompleteness; period: Period }): ReactElement {
  const link = useScreenLink('/deviceDetail/index', {
    device_id: row.device_id,
    tab: 'completeness',
    range,
    start,
    end,
  });
  return (
    <span>
      <a className={classes.title} {...link}>
        {row.device_title}
      </a>
      <span className={`${classes.sub} ${classes.mono}`}>{row.gateway_id}</span>
    </span>
  );
}

function Share({ row }: { row: GatewayCompleteness }): ReactElement {
  const { t } = useTranslation();
  if (row.percent === null) return <ToneText tone="off">{t('completeness:list.noData')}</ToneText>;
  return (
    <span className="number">
      <ToneText tone={transportTone(row)} strong>
        {percentText(row.percent)}
      </ToneText>
    </span>
  );
}

function Reads({ row: { collection } }: { row: GatewayCompleteness }): ReactElement {
  const { why } = useCollectionWords();
  if (collection.percent === null) {
    return (
      <span className={classes.noFigure}>
        <ToneText tone="off">{why(collection)}</ToneText>
      </span>
    );
  }
  return (
    <span className="number" title={why(collection)}>
      <ToneText tone={readsTone(collection)} strong>
        {percentText(collection.percent)}
      </ToneText>
    </span>
  );
}

/** Why batches are missing, and the first of the reasons why reads are; the title has all of them. */
function Why({ row }: { row: GatewayCompleteness }): ReactElement {
  const { t } = useTranslation();
  const { missing } = useCompletenessWords();
  const { missed, most } = useCollectionWords();
  const both = (reads: string): string => [missing(row.reasons), reads].filter(Boolean).join(t('completeness:comma'));
  return (
    <span className={classes.why} title={both(missed(row.collection)) || undefined}>
      {both(most(row.collection)) || '–'}
    </span>
  );
}
