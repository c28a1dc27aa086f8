import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '@/components/table/columns';
import { formatDateTime } from '@/lib/time';
import type { RefusedRecord } from '../api';
import classes from '../forwarding.module.css';
import { Reason } from './Reason';

export interface TargetReject extends RefusedRecord {
  target: string;
  /** Of the target. */
  kind: string;
}

export function useRejectColumns(deviceId: number): readonly Column<TargetReject>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      { id: 'time', title: t('forwarding:reject.time'), cell: (row) => formatDateTime(row.t_ms), card: 'mark' },
      { id: 'target', title: t('forwarding:column.target'), cell: (row) => row.target, card: 'title', fixed: true },
      { id: 'record', title: t('forwarding:reject.record'), cell: (row) => <Mono text={row.record} />, card: 'fact' },
      {
        id: 'reason',
        title: t('forwarding:column.reason'),
        cell: (row) => <Reason kind={row.kind} text={row.reason} place={{ deviceId, target: row.target }} />,
        card: 'fact',
      },
      { id: 'count', title: t('forwarding:reject.count'), cell: (row) => row.count, align: 'right', card: 'fact' },
    ],
    [t, deviceId],
  );
}

function Mono({ text }: { text: string }): ReactElement {
  return <span className={classes.mono}>{text}</span>;
}
