import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ExpiryText } from '@/components/ExpiryText';
import page from '@/components/page.module.css';
import { ScreenLink } from '@/components/ScreenLink';
import { StatusBadge } from '@/components/StatusBadge';
import type { Column } from '@/components/table/columns';
import { branded, useGatewayBrand } from '@/blocks/devices/useGatewayBrand';
import { deviceTitle } from '@/lib/deviceTitle';
import { formatDateTime } from '@/lib/time';
import type { DeviceRow } from '../api';
import classes from '../devices.module.css';
import { addressOf, dayOf } from '../draft';

const DETAIL_PATH = '/deviceDetail/index';

type Row = DeviceRow;

/** Columns of the list of gateways. */
export function useDeviceColumns(): readonly Column<Row>[] {
  const { t } = useTranslation();
  const brand = useGatewayBrand();
  return useMemo(() => {
    const field = (name: string): string => t(`devices:field.${name}`);
    const plain = (id: string, text: (row: Row) => string, more: Partial<Column<Row>> = {}): Column<Row> => ({
      id,
      title: field(id),
      cell: text,
      text,
      ...more,
    });
    const protocol = (row: Row): string => {
      const name = t(`devices:protocol.${row.protocol}`);
      return row.modbus_type === null ? name : t(`devices:modbus_type.${row.modbus_type}`);
    };
    return [
      {
        id: 'device_title',
        title: field('device_title'),
        cell: (row) => <Title row={row} />,
        text: deviceTitle,
        sort: 'device_title',
        fixed: true,
        card: 'title',
        width: 220,
      },
      plain('gateway_id', (row) => row.gateway_id, { sort: 'gateway_id', hidden: true }),
      {
        id: 'status',
        title: field('status'),
        cell: (row) => <StatusBadge kind="device" code={row.status} isNew={row.presence.code === 'never_connected'} />,
        text: (row) => t(`base:code.device.${row.presence.code === 'never_connected' ? 'new' : row.status}`),
        card: 'mark',
        width: 130,
      },
      {
        id: 'project',
        title: field('project'),
        cell: (row) => <Cut text={row.project_title ?? ''} />,
        text: (row) => row.project_title ?? '',
        card: 'fact',
        width: 160,
      },
      plain('product', (row) => row.product_title ?? '', { hidden: true }),
      plain('gateway_type', (row) => branded(brand, t(`devices:gateway_type.${row.gateway_type}`)), { hidden: true }),
      {
        id: 'model',
        title: field('model'),
        cell: (row) => <Cut text={row.model} />,
        text: (row) => row.model,
        sort: 'model',
        hidden: true,
        width: 110,
      },
      {
        id: 'protocol',
        title: field('protocol'),
        cell: (row) => <Cut text={protocol(row)} />,
        text: protocol,
        hidden: true,
        width: 130,
      },
      plain('slaves', (row) => `${row.slaves_online} / ${row.slaves_total}`, {
        align: 'right',
        value: (row) => row.slaves_total,
        card: 'fact',
        width: 100,
      }),
      plain('points', (row) => String(row.points), { align: 'right', hidden: true, width: 84 }),
      plain('imei', (row) => row.imei, { hidden: true }),
      plain('iccid', (row) => row.iccid, { hidden: true }),
      plain('address', addressOf, { hidden: true }),
      {
        id: 'expire',
        title: field('expire'),
        cell: (row) => <ExpiryText ms={row.expire_ms} />,
        text: (row) => dayOf(row.expire_ms) ?? '',
        sort: 'expire_ms',
        card: 'fact',
        width: 150,
      },
      plain('last', (row) => (row.last_ms === null ? '-' : formatDateTime(row.last_ms)), {
        sort: 'last_ms',
        hidden: true,
      }),
      plain('created', (row) => formatDateTime(row.created_ms), { sort: 'created_ms', hidden: true }),
    ];
  }, [t, brand]);
}

/** One line; the whole text is its title. */
function Cut({ text }: { text: string }): ReactElement {
  return (
    <span className={classes.cut} title={text}>
      {text}
    </span>
  );
}

function Title({ row }: { row: Row }): ReactElement {
  return (
    <>
      <ScreenLink path={DETAIL_PATH} search={{ device_id: row.id }} className={page.title} data-testid="device-link">
        {deviceTitle(row)}
      </ScreenLink>
      <span className={`${page.sub} ${page.mono} ${classes.serial}`}>
        {row.gateway_id}
        {row.model === '' ? null : <span className={classes.model}> · {row.model}</span>}
      </span>
    </>
  );
}
