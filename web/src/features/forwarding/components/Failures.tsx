import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DataTable } from '@/components/table/DataTable';
import { READY } from '@/components/table/columns';
import type { TargetRow } from '../api';
import classes from '../forwarding.module.css';
import { useRejectColumns } from './useRejectColumns';
import type { TargetReject } from './useRejectColumns';

const rowId = ({ target, t_ms, reason }: TargetReject): string => `${target}/${t_ms}/${reason}`;

/** What targets refused, the newest first, each with the target's reason. */
export function Rejects({ ledgers, deviceId }: { ledgers: readonly TargetRow[]; deviceId: number }): ReactElement {
  const { t } = useTranslation();
  const columns = useRejectColumns(deviceId);
  const rows = ledgers
    .flatMap(({ name, kind, rejects }) => rejects.map((reject): TargetReject => ({ ...reject, target: name, kind })))
    .toSorted((a, b) => b.t_ms - a.t_ms);
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
