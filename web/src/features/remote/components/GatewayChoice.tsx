import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { AsyncPicker } from '@/components/UserPicker';
import { useGo } from '@/lib/navigation';
import { findGateways } from '../api';

/** Leads to the page of a gateway where its ports are lent. */
export function GatewayChoice(): ReactElement {
  const { t } = useTranslation();
  const go = useGo();
  return (
    <AsyncPicker
      label={t('remote:list.open')}
      value={null}
      onChange={(chosen) => chosen !== null && go('/deviceDetail/index', { device_id: Number(chosen.value), tab: 'remote' })}
      load={findGateways}
      queryKey={['device', 'pick']}
      testId="lease-gateway"
    />
  );
}
