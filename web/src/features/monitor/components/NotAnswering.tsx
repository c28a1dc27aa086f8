import { Alert } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useServerNow } from '@/components/useNow';
import { reasonKey } from '@/lib/reasons';
import { formatSince } from '@/lib/time';
import type { DeviceDetail } from '../api';

type Slave = DeviceDetail['slaves'][number];

const STEP_MS = 60_000;

/** That a write would probably fail, because its slave does not answer the gateway. It may be sent all the same. */
export function NotAnswering({ slaves }: { slaves: readonly Slave[] }): ReactElement | null {
  const { t } = useTranslation();
  const now = useServerNow(STEP_MS);
  if (slaves.length === 0) return null;
  return (
    <Alert color="yellow" data-testid="not-answering">
      {slaves.map((slave) => (
        <div key={slave.name}>{wordsOf(slave)}</div>
      ))}
      {t('monitor:command.sendAnyway')}
    </Alert>
  );

  function wordsOf({ title, name, reason, last_good_ms }: Slave): string {
    const key = reasonKey(reason);
    const given = { slave: title || name, why: key === null ? reason : t(key) };
    if (last_good_ms === 0) return t('monitor:command.neverAnswered', given);
    return t('monitor:command.notAnswering', { ...given, time: formatSince(last_good_ms, now) });
  }
}
