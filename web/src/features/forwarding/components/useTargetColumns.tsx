import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import type { ForwardingLedger } from '../api';
import classes from '../forwarding.module.css';
import { useTargetWords } from './useTargetWords';

const moment = (ms: number): string => (ms === 0 ? '–' : formatDateTime(ms));

/** What is known of a target. first: the columns that name the row. */
export function useTargetColumns<Ledger extends ForwardingLedger>(
  first: readonly Column<Ledger>[],
): readonly Column<Ledger>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const count = (id: 'waiting_batches' | 'lost_batches' | 'delivered' | 'repeated'): Column<Ledger> => ({
      id,
      title: t(`forwarding:column.${id}`),
      align: 'right',
      card: 'fact',
      cell: (row) => row[id],
      text: (row) => String(row[id]),
    });
    const time = (
      id: 'since' | 'last_ack' | 'reported',
      of: 'since_ms' | 'last_ack_ms' | 'reported_ms',
    ): Column<Ledger> => ({
      id,
      title: t(`forwarding:column.${id}`),
      cell: (row) => moment(row[of]),
      text: (row) => moment(row[of]),
      card: 'fact',
    });
    return [
      ...first,
      {
        id: 'condition',
        title: t('forwarding:column.condition'),
        cell: (row) => <TargetCondition ledger={row} />,
        text: (row) => row.condition,
        card: 'mark',
      },
      {
        id: 'reason',
        title: t('forwarding:column.reason'),
        cell: (row) => <span className={classes.reason}>{row.reason || '–'}</span>,
        text: (row) => row.reason,
        card: 'fact',
      },
      time('since', 'since_ms'),
      count('waiting_batches'),
      count('delivered'),
      count('repeated'),
      {
        id: 'rejected',
        title: t('forwarding:column.rejected'),
        align: 'right',
        card: 'fact',
        text: (row) => String(row.rejected),
        cell: (row) => (row.rejected === 0 ? 0 : <ToneText tone="bad">{row.rejected}</ToneText>),
      },
      count('lost_batches'),
      time('last_ack', 'last_ack_ms'),
      { ...time('reported', 'reported_ms'), hidden: true },
    ];
  }, [t, first]);
}

function TargetCondition({ ledger }: { ledger: ForwardingLedger }): ReactElement {
  const { condition } = useTargetWords();
  const { tone, text } = condition(ledger.condition);
  return <ToneText tone={tone}>{text}</ToneText>;
}
