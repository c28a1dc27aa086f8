import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { PermissionGate } from '@/components/permission';
import { useScreenLink } from '@/lib/navigation';

/** For a gateway that is connected and runs a configuration without points. */
export function Unconfigured({ deviceId }: { deviceId: number }): ReactElement {
  const { t } = useTranslation();
  const points = useScreenLink('/device/gateway/slavedevice', { device_id: deviceId });
  const action = (
    <PermissionGate asks="DeviceManage">
      <Button {...points} component="a" variant="default" data-testid="configure-points">
        {t('monitor:live.configure')}
      </Button>
    </PermissionGate>
  );
  return <Empty title={t('monitor:live.nothing')} text={t('monitor:live.unconfigured')} action={action} />;
}
