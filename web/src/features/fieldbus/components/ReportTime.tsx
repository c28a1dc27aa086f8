import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import { useServerNow } from '@/components/useNow';
import { formatDateTime } from '@/lib/time';

/** Reports come every 30 s; three that are missing are no delay of the network. */
const OLD_MS = 90_000;
const LOOK_MS = 10_000;

/** When the gateway said so; marked once that is no word of now. */
export function ReportTime({ ms }: { ms: number }): ReactElement {
  const { t } = useTranslation();
  const now = useServerNow(LOOK_MS);
  if (ms === 0) return <>–</>;
  const time = formatDateTime(ms);
  return now - ms > OLD_MS ? <ToneText tone="off">{t('fieldbus:figure.old', { time })}</ToneText> : <>{time}</>;
}
