import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useCut } from '@/blocks/live/useCut';
import { ToneText } from '@/components/Tone';
import { reasonKey } from '@/lib/reasons';
import type { DeviceDetail } from '../api';
import { usePortLockWords } from './usePortLockWords';

type Slave = DeviceDetail['slaves'][number];

/** A slave on its bus. While the gateway or the cloud is away, and before its first report, nothing is known about it. */
export function SlaveState({ slave, gatewayOnline }: { slave: Slave; gatewayOnline: boolean }): ReactElement {
  const { t } = useTranslation();
  const cut = useCut();
  const portLockWords = usePortLockWords();
  const isReported = slave.online || slave.last_good_ms > 0 || slave.reason !== '';
  if (cut || !gatewayOnline || !isReported) return <ToneText tone="off">{t('monitor:slave.unknown')}</ToneText>;
  if (slave.online) return <ToneText tone="ok">{t('monitor:status.online')}</ToneText>;
  if (slave.reason === 'port_lent') {
    return (
      <ToneText tone="warn" icon="plug">
        {portLockWords(slave)}
      </ToneText>
    );
  }
  const key = reasonKey(slave.reason);
  const why = key === null ? slave.reason : t(key);
  return (
    <ToneText tone="bad" icon="plug">
      {t('monitor:status.offline')}
      {why === '' ? '' : ` · ${why}`}
    </ToneText>
  );
}
