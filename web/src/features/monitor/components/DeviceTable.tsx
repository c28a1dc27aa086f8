import { memo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeWords } from '@/components/useTimeWords';
import { useServerNow } from '@/components/useNow';
import { deviceTitle } from '@/lib/deviceTitle';
import { useScreenLink } from '@/lib/navigation';
import type { DeviceRow } from '../api';
import classes from '../monitor.module.css';
import { DeviceStatusText, Reason, SlaveCount } from './DeviceStatusText';

interface Props {
  devices: readonly DeviceRow[];
}

const DETAIL_PATH = '/deviceDetail/index';

export function DeviceTable({ devices }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <div className={classes.scroll}>
      <table className={classes.table} data-testid="device-table">
        <thead>
          <tr>
            <th scope="col">{t('monitor:column.device')}</th>
            <th scope="col">{t('monitor:column.status')}</th>
            <th scope="col" className={classes.right}>
              {t('monitor:column.slaves')}
            </th>
            <th scope="col" className={classes.right}>
              {t('monitor:column.points')}
            </th>
            <th scope="col">{t('monitor:column.lastData')}</th>
            <th scope="col" className={classes.right}>
              {t('monitor:column.backlog')}
            </th>
            <th scope="col">{t('monitor:column.version')}</th>
          </tr>
        </thead>
        <tbody>
          {devices.map((device) => (
            <Row key={device.id} device={device} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Row = memo(function Row({ device }: { device: DeviceRow }): ReactElement {
  const link = useScreenLink(DETAIL_PATH, { device_id: device.id });
  return (
    <tr
      className={classes.opens}
      onClick={link.onClick}
      data-testid="device-row"
      data-device={device.id}
      data-status={device.status}
    >
      <th scope="row">
        <a className={classes.title} {...link}>
          {deviceTitle(device)}
        </a>
        <span className={`${classes.sub} ${classes.mono}`}>{device.gateway_id}</span>
      </th>
      <td>
        <DeviceStatusText device={device} />
        <span className={classes.sub}>
          <Reason presence={device.presence} />
        </span>
      </td>
      <td className={`${classes.right} number`}>
        <SlaveCount device={device} />
      </td>
      <td className={`${classes.right} number`}>{device.points}</td>
      <td className="number">
        <Age ms={device.data_ms ?? null} />
      </td>
      <td className={`${classes.right} number`}>{device.backlog_batches || '–'}</td>
      <td className={classes.mono}>{device.agent_version || '–'}</td>
    </tr>
  );
});

/** live: what came since, looked at once a second. */
export function Age({ ms, live }: { ms: number | null; live?: { readonly current: number } }): ReactElement {
  const now = useServerNow(1000);
  const { ago } = useTimeWords();
  const newest = Math.max(ms ?? 0, live?.current ?? 0);
  return <span className="number">{newest === 0 ? '–' : ago(Math.max(0, now - newest))}</span>;
}

/** The same rows for phones: three facts and the reason. */
export function DeviceCards({ devices }: Props): ReactElement {
  return (
    <ul className={classes.cards} data-testid="device-cards">
      {devices.map((device) => (
        <Card key={device.id} device={device} />
      ))}
    </ul>
  );
}

const Card = memo(function Card({ device }: { device: DeviceRow }): ReactElement {
  const { t } = useTranslation();
  const link = useScreenLink(DETAIL_PATH, { device_id: device.id });
  return (
    <li>
      <a
        className={classes.card}
        {...link}
        data-testid="device-row"
        data-device={device.id}
        data-status={device.status}
      >
        <span className={classes.cardLine}>
          <span className={classes.title}>{deviceTitle(device)}</span>
          <DeviceStatusText device={device} />
        </span>
        <span className={classes.cardLine}>
          <span className={classes.mono}>{device.gateway_id}</span>
          <Age ms={device.data_ms ?? null} />
        </span>
        <span className={classes.sub}>
          {t('monitor:column.slaves')} <SlaveCount device={device} /> ·{' '}
          {t('monitor:list.points', { count: device.points })}
          <Reason presence={device.presence} separator=" · " />
        </span>
      </a>
    </li>
  );
});
