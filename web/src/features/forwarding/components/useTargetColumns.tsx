import { Group } from '@mantine/core';
import { useCallback, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { sizeText } from '@/blocks/jobs/jobs';
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
import { TargetState } from './TargetState';
import { useTargetWords } from './useTargetWords';
import { WatchPackets } from './WatchPackets';

const moment = (ms: number): string => (ms === 0 ? '–' : formatDateTime(ms));
/** A figure of a target that its gateway has reported; of another one nothing is known. */
const known = <Figure,>({ reported_ms }: TargetRow, figure: Figure): Figure | '–' => (reported_ms === 0 ? '–' : figure);

/** Gateway of a row. */
interface Place {
  deviceId: number;
  /** Whether what it said last may be of now. */
  isOnline: boolean;
}

/** Of the targets of one gateway. hindrance: why they cannot be changed, '' when they can. */
export function useDeviceTargetColumns(
  deviceId: number,
  isOnline: boolean,
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
    useCallback(() => ({ deviceId, isOnline }), [deviceId, isOnline]),
  );
  return [
    ...columns,
    {
      id: ACTIONS,
      title: t('forwarding:column.actions'),
      cell: ({ fields, kind, name }) => (
        <Group gap={2} wrap="nowrap">
          <WatchPackets deviceId={deviceId} target={name} />
          {fields === null ? null : (
            <TargetActions
              fields={fields}
              hindrance={hindrance}
              isKnown={formOf(kind) !== undefined}
              onAction={onAction}
            />
          )}
        </Group>
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
        card: 'line',
      },
      {
        id: 'target',
        title: t('forwarding:column.target'),
        cell: (row) => (
          <Group gap={4} wrap="nowrap">
            <TargetName ledger={row} />
            <WatchPackets deviceId={row.device_id} target={row.name} />
          </Group>
        ),
        text: (row) => row.name,
        card: 'title',
      },
    ],
    [t],
  );
  return useLedgerColumns(first, placeOf);
}

const placeOf = (row: GatewayTargetRow): Place => ({ deviceId: row.device_id, isOnline: row.online });

/** What is known of a target. first: the columns that name the row; placeOf: its gateway. */
function useLedgerColumns<Ledger extends TargetRow>(
  first: readonly Column<Ledger>[],
  placeOf: (row: Ledger) => Place,
): readonly Column<Ledger>[] {
  const { t } = useTranslation();
  const { condition } = useTargetWords();
  return useMemo(() => {
    const count = (id: 'repeated' | 'failed' | 'lost_batches'): Column<Ledger> => ({
      id,
      title: t(`forwarding:column.${id}`),
      align: 'right',
      cell: (row) => known(row, row[id]),
      text: (row) => String(known(row, row[id])),
      hidden: true,
    });
    const time = (
      id: 'since' | 'last_ack' | 'reported',
      of: 'since_ms' | 'last_ack_ms' | 'reported_ms',
    ): Column<Ledger> => ({
      id,
      title: t(`forwarding:column.${id}`),
      cell: (row) => moment(row[of]),
      text: (row) => moment(row[of]),
    });
    return [
      ...first,
      {
        id: 'condition',
        title: t('forwarding:column.condition'),
        cell: (row) => <TargetState ledger={row} isOnline={placeOf(row).isOnline} />,
        text: (row) => condition(row.condition).text,
        card: 'mark',
      },
      {
        id: 'reason',
        title: t('forwarding:column.reason'),
        cell: (row) => (
          <Reason kind={row.kind} text={row.reason} place={{ deviceId: placeOf(row).deviceId, target: row.name }} />
        ),
        text: (row) => row.reason,
        card: 'line',
      },
      {
        id: 'waiting',
        title: t('forwarding:column.waiting'),
        align: 'right',
        card: 'fact',
        text: (row) => String(known(row, row.waiting_batches)),
        cell: (row) => (
          <Figure
            figure={known(row, t('forwarding:batches', { count: row.waiting_batches }))}
            part={
              // Batches stand for records where these are not known.
              row.waiting_records === row.waiting_batches ? '' : t('forwarding:records', { count: row.waiting_records })
            }
          />
        ),
      },
      {
        id: 'delivered',
        title: t('forwarding:column.delivered'),
        align: 'right',
        card: 'fact',
        text: (row) => String(known(row, row.delivered)),
        cell: (row) => (
          <Figure
            figure={String(known(row, row.delivered))}
            part={row.late === 0 ? '' : t('forwarding:late', { count: row.late })}
          />
        ),
      },
      {
        id: 'given_up',
        title: t('forwarding:column.given_up'),
        align: 'right',
        card: 'fact',
        text: (row) => String(known(row, row.given_up)),
        cell: (row) => (row.given_up === 0 ? known(row, 0) : <ToneText tone="bad">{row.given_up}</ToneText>),
      },
      { ...time('last_ack', 'last_ack_ms'), card: 'line' },
      count('repeated'),
      count('failed'),
      count('lost_batches'),
      {
        id: 'waiting_bytes',
        title: t('forwarding:column.waiting_bytes'),
        align: 'right',
        text: (row) => String(known(row, row.waiting_bytes)),
        cell: (row) => known(row, sizeText(row.waiting_bytes)),
        hidden: true,
      },
      { ...time('since', 'since_ms'), hidden: true },
      { ...time('reported', 'reported_ms'), hidden: true },
    ];
  }, [t, condition, first, placeOf]);
}

/** A number, and below it a part of it. */
function Figure({ figure, part }: { figure: string; part: string }): ReactElement {
  return (
    <span className={classes.figure}>
      {figure}
      {part === '' ? null : <span className={classes.sub}>{part}</span>}
    </span>
  );
}

function Gateway({ ledger }: { ledger: GatewayTargetRow }): ReactElement {
  const link = useScreenLink('/deviceDetail/index', { device_id: ledger.device_id, tab: 'forwarding' });
  return (
    <span>
      <a className={classes.title} {...link}>
        {ledger.device_title}
      </a>
      <span className={`${classes.sub} ${classes.mono}`}>{ledger.gateway_id}</span>
    </span>
  );
}
