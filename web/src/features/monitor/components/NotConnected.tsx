import { Alert } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { formatSince } from '@/lib/time';
import { serverNow } from '@/lib/serverClock';
import type { DeviceRow } from '../api';

/** That a command would not arrive: the gateway is offline, or asleep until its next report. */
export function NotConnected({ link }: Pick<DeviceRow, 'link'>): ReactElement | null {
  const { t } = useTranslation();
  if (link.online) return null;
  const text =
    typeof link.back_ms === 'number'
      ? t('monitor:command.asleep', { time: formatSince(link.back_ms, serverNow()) })
      : t('monitor:command.gatewayOffline');
  return (
    <Alert color="yellow" data-testid="not-connected">
      {text}
    </Alert>
  );
}
