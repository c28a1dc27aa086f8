import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePerm } from '@/components/permission';
import { ScreenLink } from '@/components/ScreenLink';
import type { EmptyWords } from '@/components/table/TableState';
import type { ListView } from '../views';

const LOG = '/alarm/onOffline';
const DEVICE = '/deviceDetail/index';

/** An alarm log without rows: which alarms there are so far, and the way to the on-offline log for who may see it. */
export function useNoAlarms(deviceId?: string, view: ListView = 'history'): EmptyWords {
  const { t } = useTranslation();
  return useMemo(
    () => ({
      title: t(view === 'history' ? 'events:alarm.none' : `events:alarm.noneOf.${view}`),
      text: t('events:alarm.noneText'),
      action: <ToOnOff deviceId={deviceId} />,
    }),
    [t, deviceId, view],
  );
}

function ToOnOff({ deviceId }: { deviceId: string | undefined }): ReactElement | null {
  const { t } = useTranslation();
  const may = usePerm('DeviceMonitor_Online');
  if (deviceId !== undefined) {
    return (
      <ScreenLink path={DEVICE} search={{ device_id: deviceId, tab: 'onoff' }} data-testid="alarms-to-onoff">
        {t('events:title.onoff')}
      </ScreenLink>
    );
  }
  return may ? (
    <ScreenLink path={LOG} data-testid="alarms-to-onoff">
      {t('events:title.onoff')}
    </ScreenLink>
  ) : null;
}
