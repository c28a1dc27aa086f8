import { useMemo } from 'react';
import type { MouseEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { MonitorPoints } from '@/api/generated/types.gen';
import { TrendLink } from '@/blocks/history/TrendLink';
import { LivePart } from '@/blocks/live/useBoard';
import { ScreenLink } from '@/components/ScreenLink';
import type { Column, TableQuery } from '@/components/table/columns';
import { DataTable } from '@/components/table/DataTable';
import { usePhone } from '@/components/table/usePhone';
import type { Selection } from '@/components/table/useSelection';
import { useMay } from '@/lib/session';
import type { MonitorPoint } from '../monitorList';
import classes from '../monitor.module.css';
import list from '../monitorList.module.css';

interface Props {
  data: MonitorPoints | undefined;
  query: TableQuery;
  filtered: boolean;
  onClear: () => void;
  selection: Selection;
  onWrite: (point: MonitorPoint) => void;
}

/** Down to the end of the window. */
const BELOW_BAR = 'max(300px, calc(100dvh - 200px))';
const NONE: readonly MonitorPoint[] = [];
const rowId = ({ dsid }: MonitorPoint): number => dsid;
const rowData = ({ dsid }: MonitorPoint) => ({ 'data-dsid': String(dsid) });

export const isWritable = ({ rw, ds_type }: MonitorPoint): boolean => rw !== 'readonly' && ds_type !== 'cal';

/** Points of many gateways, one a line; values are written by the board. */
export function MonitorTable({ data, query, filtered, onClear, selection, onWrite }: Props): ReactElement {
  const { t } = useTranslation();
  const columns = useMonitorColumns(data, onWrite);
  const phone = usePhone();
  return (
    <DataTable
      name="monitorPoint"
      label={t('monitor:points.title')}
      columns={columns}
      rows={data?.points ?? NONE}
      rowId={rowId}
      rowData={rowData}
      query={query}
      total={data?.points.length ?? 0}
      selection={selection}
      filtered={filtered}
      onClear={onClear}
      empty={{ title: t('monitor:points.nothing'), text: t('monitor:live.nothingText') }}
      virtual
      height={phone ? undefined : BELOW_BAR}
    />
  );
}

function useMonitorColumns(
  data: MonitorPoints | undefined,
  onWrite: (point: MonitorPoint) => void,
): readonly Column<MonitorPoint>[] {
  const { t } = useTranslation();
  const may = useMay('Device/cmd');
  const devices = data?.devices;
  return useMemo(() => {
    const byId = new Map((devices ?? []).map((device) => [device.id, device]));
    const titleOf = (point: MonitorPoint): string => byId.get(point.device_id)?.device_title ?? '';
    const whyNot = (point: MonitorPoint): string => {
      if (!may) return t('monitor:command.notAllowed');
      return byId.get(point.device_id)?.writes === true ? '' : t('base:why.shared_read_only');
    };
    return [
      {
        id: 'device',
        title: t('monitor:column.device'),
        width: 112,
        text: titleOf,
        cell: (point) => <DeviceLink id={point.device_id} title={titleOf(point)} />,
      },
      {
        id: 'slave',
        title: t('monitor:column.slave'),
        width: 112,
        text: (point) => point.slave_title,
        cell: (point) => <span title={point.slave_title}>{point.slave_title}</span>,
      },
      {
        id: 'point',
        title: t('monitor:column.point'),
        width: 156,
        fixed: true,
        card: 'title',
        text: (point) => point.ds_title,
        cell: (point) => <PointTitle point={point} device={titleOf(point)} />,
      },
      {
        id: 'value',
        title: t('monitor:column.value'),
        width: 130,
        align: 'right',
        card: 'fact',
        cell: (point) => <Value point={point} />,
      },
      {
        id: 'quality',
        title: t('monitor:column.quality'),
        width: 74,
        card: 'mark',
        cell: (point) => <LivePart dsid={point.dsid} part="trust" />,
      },
      { id: 'limits', title: t('monitor:column.limits'), width: 100, cell: (point) => <LimitBar point={point} /> },
      {
        id: 'age',
        title: t('monitor:column.age'),
        width: 116,
        card: 'fact',
        cell: (point) => <LivePart dsid={point.dsid} part="age" />,
      },
      {
        id: 'actions',
        title: t('monitor:column.action'),
        width: 70,
        cell: (point) =>
          isWritable(point) ? <WriteButton point={point} why={whyNot(point)} onWrite={onWrite} /> : null,
      },
    ];
  }, [t, may, devices, onWrite]);
}

export function DeviceLink({ id, title }: { id: number; title: string }): ReactElement {
  return (
    <ScreenLink path="/deviceDetail/index" search={{ device_id: id }} className={classes.title} title={title}>
      {title}
    </ScreenLink>
  );
}

/** On a phone's card the gateway and slave stand below the title. */
function PointTitle({ point, device }: { point: MonitorPoint; device: string }): ReactElement {
  return (
    <span title={point.ds_name}>
      {point.ds_title}
      <span className={`${classes.sub} ${list.onlyPhone}`}>
        {device} · {point.slave_title}
      </span>
    </span>
  );
}

/** The board writes the value without React: what it is now is known when it is pointed at. */
function showFullText({ currentTarget }: MouseEvent<HTMLElement>): void {
  currentTarget.title = [...currentTarget.children]
    .map(({ textContent }) => textContent)
    .join(' ')
    .trim();
}

export function Value({ point }: { point: MonitorPoint }): ReactElement {
  return (
    <span
      className={list.monitorValue}
      data-text={point.ds_type === 'str' || undefined}
      data-bare={point.unit === '' || point.ds_type === 'str' || undefined}
      onMouseEnter={showFullText}
    >
      <TrendLink point={point} deviceId={point.device_id}>
        <LivePart dsid={point.dsid} part="value" testId={`value-${point.ds_name}`} />
      </TrendLink>
      <span className={classes.unit}>{point.unit}</span>
    </span>
  );
}

function LimitBar({ point }: { point: MonitorPoint }): ReactElement | null {
  const { t } = useTranslation();
  const { min, max, dsid } = point;
  if (min === null && max === null) return null;
  return (
    <span className={list.limitBar} title={t('monitor:points.limits', { min: min ?? '−∞', max: max ?? '+∞' })}>
      <span className={list.limitEnd}>{min ?? '−∞'}</span>
      <span className={list.limitTrack}>
        <LivePart dsid={dsid} part="limit" />
      </span>
      <span className={list.limitEnd}>{max ?? '+∞'}</span>
    </span>
  );
}

export function WriteButton({
  point,
  why,
  onWrite,
}: {
  point: MonitorPoint;
  why: string;
  onWrite: (point: MonitorPoint) => void;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <button
      type="button"
      className={list.write}
      disabled={why !== ''}
      title={why || undefined}
      onClick={() => onWrite(point)}
      aria-label={t('monitor:command.writeTo', { title: point.ds_title })}
      data-testid={`write-${point.ds_name}`}
    >
      {t('monitor:command.write')}
    </button>
  );
}
