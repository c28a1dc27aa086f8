import { useCallback, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ACTIONS } from '@/components/table/columns';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import { useScreenLink } from '@/lib/navigation';
import type { TargetRow, GatewayTargetRow } from '../api';
import { formOf } from '../model/form';
import type { Row } from '../model/form';
import type { Target } from '../model/targets';
import classes from '../forwarding.module.css';
import { Reason } from './Reason';
import { TargetActions } from './TargetActions';
import type { Action } from './TargetActions';
import { TargetName } from './TargetName';
import { useTargetWords } from './useTargetWords';

const moment = (ms: number): string => (ms === 0 ? '–' : formatDateTime(ms));

/** Of the targets of one gateway. hindrance: why they cannot be changed, '' when they can. */
export function useDeviceTargetColumns(
  deviceId: number,
  hindrance: string,
  onAction: (action: Action, fields: Row) => void,
): readonly Column<Target>[] {
  const { t } = useTranslation();
  const first = useMemo(
    (): readonly Column<Target>[] => [
      {
        id: 'target',
        title: t('forwarding:column.target'),
        cell: (row) => <TargetName ledger={row} isRemoved={row.fields === null} isOff={row.fields?.enable === false} />,
        fixed: true,
        card: 'title',
      },
    ],
    [t],
  );
  const columns = useLedgerColumns(
    first,
    useCallback(() => deviceId, [deviceId]),
  );
  return [
    ...columns,
    {
      id: ACTIONS,
      title: t('forwarding:column.actions'),
      cell: ({ fields, kind }) =>
        fields === null ? null : (
          <TargetActions
            fields={fields}
            hindrance={hindrance}
            isKnown={formOf(kind) !== undefined}
            onAction={onAction}
          />
        ),
    },
  ];
}

/** Of the targets of all gateways. */
export function useTargetColumns(): readonly Column<GatewayTargetRow>[] {
  const { t } = useTranslation();
  const first = useMemo(
    (): readonly Column<GatewayTargetRow>[] => [
      {
        id: 'gateway',
        title: t('forwarding:column.gateway'),
        cell: (row) => <Gateway ledger={row} />,
        text: (row) => row.device_title,
        fixed: true,
        card: 'title',
      },
      {
        id: 'target',
        title: t('forwarding:column.target'),
        cell: (row) => <TargetName ledger={row} />,
        text: (row) => row.name,
        card: 'fact',
      },
    ],
    [t],
  );
  return useLedgerColumns(first, deviceOf);
}

const deviceOf = (row: GatewayTargetRow): number => row.device_id;

/** What is known of a target. first: the columns that name the row; gatewayOf: its gateway. */
function useLedgerColumns<Ledger extends TargetRow>(
  first: readonly Column<Ledger>[],
  gatewayOf: (row: Ledger) => number,
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
        cell: (row) => (
          <Reason kind={row.kind} text={row.reason} place={{ deviceId: gatewayOf(row), target: row.name }} />
        ),
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
  }, [t, first, gatewayOf]);
}

function TargetCondition({ ledger }: { ledger: TargetRow }): ReactElement {
  const { condition } = useTargetWords();
  const { tone, text } = condition(ledger.condition);
  return <ToneText tone={tone}>{text}</ToneText>;
}

function Gateway({ ledger }: { ledger: GatewayTargetRow }): ReactElement {
  const { t } = useTranslation();
  const link = useScreenLink('/deviceDetail/index', { device_id: ledger.device_id, tab: 'forwarding' });
  return (
    <span>
      <a className={classes.title} {...link}>
        {ledger.device_title}
      </a>
      <span className={`${classes.sub} ${classes.mono}`}>{ledger.gateway_id}</span>
      {ledger.online ? null : <ToneText tone="off">{t('forwarding:offline')}</ToneText>}
    </span>
  );
}
