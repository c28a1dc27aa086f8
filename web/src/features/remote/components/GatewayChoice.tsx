import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { findDevices } from '@/blocks/devices/devicePicker';
import { AsyncPicker } from '@/components/AsyncPicker';
import { useGo } from '@/lib/navigation';

/** Leads to the page of a gateway where its ports are lent. */
export function GatewayChoice(): ReactElement {
  const { t } = useTranslation();
  const go = useGo();
  return (
    <AsyncPicker
      label={t('remote:list.open')}
      inBar
      value={null}
      onChange={(chosen) =>
        chosen !== null && go('/deviceDetail/index', { device_id: Number(chosen.value), tab: 'remote' })
      }
      load={findDevices}
      queryKey={['device', 'pick']}
      testId="lease-gateway"
    />
  );
}
