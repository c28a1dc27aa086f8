import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import type { DeviceRow } from '../api';
import { isStatus, reasonKey, reasonOf, statusTone } from '../presence';

type Presence = Pick<DeviceRow, 'status' | 'link' | 'slaves_online' | 'slaves_total'>;

/** One status with its icon. */
export function DeviceStatusText({ device }: { device: Presence }): ReactElement {
  const { t } = useTranslation();
  return (
    <ToneText tone={statusTone(device)} icon={device.status === 'offline' ? 'plug' : undefined} strong>
      {isStatus(device.status) ? t(`monitor:status.${device.status}`) : device.status}
    </ToneText>
  );
}

/** Why the status is what it is, in words; empty when all is well. */
export function useReason(): (device: Presence) => string {
  const { t } = useTranslation();
  return (device) => {
    const reason = reasonOf(device);
    if (reason === 'ok' || reason === '') return '';
    const key = reasonKey(reason);
    const silent = device.slaves_total - device.slaves_online;
    return key === null ? reason : t(key, { count: silent, total: device.slaves_total });
  };
}
