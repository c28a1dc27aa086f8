import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import type { RefusedRecord } from '../api';
import classes from '../forwarding.module.css';
import { Reason } from './Reason';

/** waits: an attempt failed, and the record was kept; lost: so, and it was given up since. */
export type Outcome = 'givenUp' | 'waits' | 'lost';

export interface Failure extends RefusedRecord {
  target: string;
  /** Of the target. */
  kind: string;
  /** What became of the record, as far as it is known. */
  outcome: Outcome;
}

export function useFailureColumns(deviceId: number): readonly Column<Failure>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const words = ({ outcome }: Failure): string => t(`forwarding:failure.${outcome}`);
    return [
      {
        id: 'target',
        title: t('forwarding:column.target'),
        cell: (row) => row.target,
        text: (row) => row.target,
        card: 'title',
        fixed: true,
      },
      {
        id: 'time',
        title: t('forwarding:failure.time'),
        cell: (row) => formatDateTime(row.t_ms),
        text: (row) => formatDateTime(row.t_ms),
        card: 'fact',
      },
      {
        id: 'outcome',
        title: t('forwarding:failure.outcome'),
        cell: (row) => (
          <span className={classes.state}>
            <ToneText tone={row.given_up ? 'bad' : 'warn'}>{words(row)}</ToneText>
          </span>
        ),
        text: words,
        card: 'mark',
      },
      {
        id: 'record',
        title: t('forwarding:failure.record'),
        cell: (row) => <span className={classes.record}>{row.record}</span>,
        text: (row) => row.record,
        card: 'fact',
      },
      {
        id: 'reason',
        title: t('forwarding:column.reason'),
        cell: (row) => <Reason kind={row.kind} text={row.reason} place={{ deviceId, target: row.target }} />,
        text: (row) => row.reason,
        card: 'line',
      },
      {
        id: 'count',
        title: t('forwarding:failure.count'),
        cell: (row) => row.count,
        text: (row) => String(row.count),
        align: 'right',
        card: 'fact',
      },
    ];
  }, [t, deviceId]);
}
