import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DataTable } from '@/components/table/DataTable';
import { READY } from '@/components/table/columns';
import type { RefusedRecord, TargetRow } from '../api';
import classes from '../forwarding.module.css';
import { useFailureColumns } from './useFailureColumns';
import type { Failure, Outcome } from './useFailureColumns';

const rowId = ({ target, t_ms, record, reason, given_up }: Failure): string =>
  `${target}/${t_ms}/${given_up}/${record}/${reason}`;

function outcomeOf({ given_up, record }: RefusedRecord, all: readonly RefusedRecord[]): Outcome {
  if (given_up) return 'givenUp';
  return all.some((each) => each.given_up && each.record === record) ? 'lost' : 'waits';
}

/** What targets did not take, the newest first, each with what became of it and the target's reason. */
export function Failures({ ledgers, deviceId }: { ledgers: readonly TargetRow[]; deviceId: number }): ReactElement {
  const { t } = useTranslation();
  const columns = useFailureColumns(deviceId);
  const rows = ledgers
    .flatMap(({ name, kind, rejects }) =>
      rejects.map((reject): Failure => ({ ...reject, target: name, kind, outcome: outcomeOf(reject, rejects) })),
    )
    .toSorted((a, b) => b.t_ms - a.t_ms);
  return (
    <>
      <div className={classes.bar}>
        <h2>{t('forwarding:failure.title')}</h2>
      </div>
      <DataTable
        name="failures"
        label={t('forwarding:failure.title')}
        columns={columns}
        rows={rows}
        rowId={rowId}
        query={READY}
        empty={{ title: t('forwarding:failure.none'), text: t('forwarding:failure.noneText') }}
      />
    </>
  );
}
