import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { reasonKey } from '@/lib/reasons';
import { formatDateTime } from '@/lib/time';
import { AccessPasswordSettings } from '../components/AccessPasswordSettings';
import { DeviceFacts } from '../components/DeviceFacts';
import { DeviceSettings } from '../components/DeviceSettings';
import { SecretSettings } from '../components/SecretSettings';
import { useDevice } from '../components/useDevice';
import classes from '../monitor.module.css';
import { protocolsOf } from '../presence';

export default function InfoTab(): ReactElement {
  const { t } = useTranslation();
  const device = useDevice();
  const refusal = device.refusal ?? '';
  const refusalKey = reasonKey(refusal);
  const facts: [string, string | number, string?][] = [
    [t('monitor:info.protocol'), protocolsOf(device.slaves) || '–'],
    [t('monitor:info.version'), device.agent_version || '–'],
    [t('monitor:info.slaves'), device.slaves_total],
    [t('monitor:info.points'), device.points],
    [t('monitor:info.lastData'), device.data_ms ? formatDateTime(device.data_ms) : '–'],
    [t('monitor:info.received'), device.received_batches],
    [t('monitor:info.duplicates'), device.duplicate_batches],
    [t('monitor:info.missing'), device.missing_batches],
    [t('monitor:info.evicted'), device.evicted_batches],
    [t('monitor:info.dropped'), device.dropped_samples],
    [t('monitor:info.clock'), t(device.clock_set ? 'monitor:info.clockSet' : 'monitor:info.clockNotSet')],
    [t('monitor:info.written'), megabytes(device.written_bytes_day ?? null), t('monitor:info.writtenHint')],
    [t('monitor:info.memory'), megabytes(device.memory_bytes ?? null)],
    [t('monitor:info.backlog'), device.backlog_batches],
    [t('monitor:info.stream'), device.stream || '–'],
    [t('monitor:info.catalog'), device.catalog || '–'],
    [t('monitor:info.refusal'), refusal === '' ? '–' : refusalKey === null ? refusal : t(refusalKey)],
  ];
  return (
    <>
      <DeviceFacts device={device} />
      <h3 className={classes.infoHead}>{t('monitor:info.group.running')}</h3>
      <dl className={classes.info} data-testid="device-info">
        {facts.map(([name, value, hint]) => (
          <div key={name} title={hint}>
            <dt>{name}</dt>
            <dd className="number">{value}</dd>
          </div>
        ))}
      </dl>
      <div className={classes.settingsPair}>
        <DeviceSettings device={device} />
        <AccessPasswordSettings device={device} />
        <SecretSettings device={device} />
      </div>
    </>
  );
}

function megabytes(bytes: number | null): string {
  return bytes === null ? '–' : `${(bytes / 1e6).toFixed(1)} MB`;
}
