import { Alert, Button } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ExpiryText } from '@/components/ExpiryText';
import { ScreenLink } from '@/components/ScreenLink';
import { branded, useGatewayBrand } from '@/blocks/devices/useGatewayBrand';
import { deviceTitle } from '@/lib/deviceTitle';
import { expiryOf } from '@/lib/expiry';
import { presetParts } from '@/lib/interval';
import { useScreenLink } from '@/lib/navigation';
import { serverNow } from '@/lib/serverClock';
import { useMay } from '@/lib/session';
import { formatDateTime } from '@/lib/time';
import type { DeviceDetail } from '../api';
import { addressOf, coordinatesOf } from '../deviceFacts';
import classes from '../monitor.module.css';

type Facts = readonly (readonly [name: string, value: ReactNode])[];

/** What was entered of a gateway: names, place, network, what its user decided; with the way to change it. */
export function DeviceFacts({ device }: { device: DeviceDetail }): ReactElement {
  const { t } = useTranslation();
  const groups = useGroups(device);
  const expiry = expiryOf(device.expire_ms ?? null, serverNow());
  return (
    <>
      {expiry.kind === 'soon' || expiry.kind === 'expired' ? (
        <Alert color={expiry.kind === 'expired' ? 'red' : 'yellow'} m={12} data-testid="device-expiry">
          {expiry.kind === 'expired'
            ? t('monitor:info.expired')
            : t('monitor:info.expiresSoon', { count: expiry.days })}
        </Alert>
      ) : null}
      <div className={classes.bar}>
        <h2>{deviceTitle(device)}</h2>
        <EditLink device={device} />
      </div>
      {groups.map(([name, facts]) => (
        <section key={name} aria-label={t(`monitor:info.group.${name}`)}>
          <h3 className={classes.infoHead}>{t(`monitor:info.group.${name}`)}</h3>
          <dl className={classes.info} data-testid={`device-${name}`}>
            {facts.map(([title, value]) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd className="number">{value === '' || value === null || value === undefined ? '–' : value}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </>
  );
}

function useGroups(device: DeviceDetail): readonly (readonly [string, Facts])[] {
  const { t } = useTranslation();
  const brand = useGatewayBrand();
  const yes = (on: boolean): string => t(on ? 'monitor:info.yes' : 'monitor:info.no');
  const word = (key: string, value: number | null | undefined): string =>
    value === null || value === undefined ? '' : t(`monitor:info.${key}.${value}`, { defaultValue: String(value) });
  const seconds = (value: number | null | undefined): string =>
    value === null || value === undefined ? '' : t('base:duration.s', { count: value });
  const interval = (count: number): string => {
    const parts = presetParts(count);
    return Number.isInteger(parts.count) ? t(`base:duration.${parts.unit}`, { count: parts.count }) : seconds(count);
  };
  const waits = (name: string, text: string): ReactNode =>
    device.settings_pending.includes(name) ? (
      <>
        {text}{' '}
        <ScreenLink path="/deviceDetail/index" search={{ device_id: device.id, tab: 'configuration' }}>
          {t('monitor:info.inDraft')}
        </ScreenLink>
      </>
    ) : (
      text
    );
  const { access } = device;
  return [
    [
      'identity',
      [
        [t('monitor:info.serial'), device.gateway_id],
        [t('monitor:info.type'), branded(brand, word('gatewayType', device.gateway_type))],
        [t('monitor:info.model'), device.model],
        [t('monitor:info.code'), word('protocolCode', device.protocol)],
        ['IMEI', device.imei],
        ['ICCID', device.iccid],
        [t('monitor:info.project'), device.project_title ?? ''],
        [t('monitor:info.product'), device.product_title ?? ''],
        [t('monitor:info.created'), formatDateTime(device.created_ms)],
        [t('monitor:info.expires'), <ExpiryText key="expires" ms={device.expire_ms ?? null} />],
        [t('monitor:info.remark'), device.remark],
      ],
    ],
    [
      'place',
      [
        [t('monitor:info.address'), addressOf(device)],
        [t('monitor:info.coordinates'), coordinatesOf(device)],
        [
          t('monitor:info.positioning'),
          t(
            `monitor:info.${!device.auto_position ? 'manual' : device.has_location_point ? 'automatic' : 'automaticLost'}`,
          ),
        ],
        [t('monitor:info.positioned'), device.positioned_ms ? formatDateTime(device.positioned_ms) : ''],
        [t('monitor:info.gis'), yes(device.gis_show)],
      ],
    ],
    [
      'sharing',
      [
        [t('monitor:info.owner'), access.owner?.user_name ?? t('monitor:info.platform')],
        [t('monitor:info.role'), t(`monitor:info.roles.${access.role}`, { defaultValue: access.role })],
        [t('monitor:info.rights'), t(access.writes ? 'monitor:info.readWrite' : 'monitor:info.readOnly')],
        [t('monitor:info.scanBind'), yes(device.scan_bind)],
      ],
    ],
    [
      'collecting',
      [
        [
          t('monitor:info.collect'),
          waits(
            'collect_interval_s',
            device.collect_interval_s === null ? t('monitor:info.byDefault') : seconds(device.collect_interval_s),
          ),
        ],
        [
          t('monitor:info.report'),
          waits(
            'report_interval_s',
            device.report_interval_s ? interval(device.report_interval_s) : t('monitor:info.atOnce'),
          ),
        ],
        [
          t('monitor:info.timeout'),
          waits(
            'slave_timeout_ms',
            device.slave_timeout_ms
              ? t('base:duration.ms', { count: device.slave_timeout_ms })
              : t('monitor:info.byDefault'),
          ),
        ],
        [t('monitor:info.lowPower'), waits('low_power', yes(device.low_power))],
      ],
    ],
  ];
}

/** Only for who may change it. */
function EditLink({ device }: { device: DeviceDetail }): ReactElement | null {
  const { t } = useTranslation();
  const may = useMay('DeviceManage') && device.access.writes;
  const link = useScreenLink('/device/deviceManage', { search: device.gateway_id });
  if (!may) return null;
  return (
    <Button
      component="a"
      variant="default"
      leftSection={<IconPencil size={16} stroke={1.6} />}
      {...link}
      data-testid="device-edit"
    >
      {t('monitor:info.edit')}
    </Button>
  );
}
