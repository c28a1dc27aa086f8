import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DataTable } from '@/components/table/DataTable';
import { READY } from '@/components/table/columns';
import type { Column } from '@/components/table/columns';
import { formatDateTime } from '@/lib/time';
import type { ForwardingLedger, RefusedRecord } from '../api';
import classes from '../forwarding.module.css';

interface Row extends RefusedRecord {
  target: string;
}

const rowId = ({ target, t_ms, reason }: Row): string => `${target}/${t_ms}/${reason}`;

/** What targets refused, the newest first, each with the target's reason. */
export function Rejects({ ledgers }: { ledgers: readonly ForwardingLedger[] }): ReactElement {
  const { t } = useTranslation();
  const rows = ledgers
    .flatMap(({ name, rejects }) => rejects.map((reject): Row => ({ ...reject, target: name })))
    .toSorted((a, b) => b.t_ms - a.t_ms);
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      { id: 'time', title: t('forwarding:reject.time'), cell: (row) => formatDateTime(row.t_ms), card: 'mark' },
      { id: 'target', title: t('forwarding:column.target'), cell: (row) => row.target, card: 'title', fixed: true },
      {
        id: 'record',
        title: t('forwarding:reject.record'),
        cell: (row) => <span className={classes.mono}>{row.record}</span>,
        card: 'fact',
      },
      {
        id: 'reason',
        title: t('forwarding:column.reason'),
        cell: (row) => <span className={classes.reason}>{row.reason}</span>,
        card: 'fact',
      },
      { id: 'count', title: t('forwarding:reject.count'), cell: (row) => row.count, align: 'right', card: 'fact' },
    ],
    [t],
  );
  return (
    <>
      <div className={classes.bar}>
        <h2>{t('forwarding:reject.title')}</h2>
      </div>
      <DataTable
        name="rejects"
        label={t('forwarding:reject.title')}
        columns={columns}
        rows={rows}
        rowId={rowId}
        query={READY}
        empty={{ title: t('forwarding:reject.none'), text: t('forwarding:reject.noneText') }}
      />
    </>
  );
}
