import { useTranslation } from 'react-i18next';
import { useServerNow } from '@/components/useNow';
import { formatSince } from '@/lib/time';
import type { DeviceDetail } from '../api';

type Slave = DeviceDetail['slaves'][number];

/** How often 'since' may need its date. */
const STEP_MS = 60_000;

/** 'Port lent to li since 14:03', as far as it is known. */
export function usePortLockWords(): (slave: Slave) => string {
  const { t } = useTranslation();
  const now = useServerNow(STEP_MS);
  return ({ lent_to, lent_ms, since_ms }) => {
    const begin = lent_ms ?? since_ms;
    const who = lent_to ? t('monitor:lent.to', { user: lent_to }) : t('monitor:lent.onSite');
    return begin === null || begin === undefined
      ? who
      : t('monitor:lent.since', { who, time: formatSince(begin, now) });
  };
}
