import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useCut } from '@/components/live/useCut';
import { ToneText } from '@/components/Tone';
import type { DeviceRow } from '../api';
import { isStatus, reasonKey, reasonOf, statusTone } from '../presence';

type Presence = Pick<DeviceRow, 'status' | 'link' | 'slaves_online' | 'slaves_total'>;

/** One status with its icon; unknown while the cloud is silent. */
export function DeviceStatusText({ device }: { device: Presence }): ReactElement {
  const { t } = useTranslation();
  const word = isStatus(device.status) ? t(`monitor:status.${device.status}`) : device.status;
  if (useCut()) {
    return (
      <span title={t('monitor:status.last', { status: word })}>
        <ToneText tone="off">{t('monitor:status.unknown')}</ToneText>
      </span>
    );
  }
  return (
    <ToneText tone={statusTone(device)} icon={device.status === 'offline' ? 'plug' : undefined} strong>
      {word}
    </ToneText>
  );
}

/** Why the status is what it is, in words; empty when all is well, and while the cloud is silent. */
export function useReason(): (device: Presence) => string {
  const { t } = useTranslation();
  const cut = useCut();
  return (device) => {
    if (cut) return '';
    const reason = reasonOf(device);
    if (reason === 'ok' || reason === '') return '';
    const key = reasonKey(reason);
    const silent = device.slaves_total - device.slaves_online;
    return key === null ? reason : t(key, { count: silent, total: device.slaves_total });
  };
}
