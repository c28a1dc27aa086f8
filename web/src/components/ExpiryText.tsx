import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { expiryOf } from '@/lib/expiry';
import { formatDateTime } from '@/lib/time';
import { ToneText } from './Tone';
import { useServerNow } from './useNow';

const MINUTE_MS = 60_000;
const DATE_CHARACTERS = 10;

/** A day of expiry, and what there is to say of it within 60 days before and afterwards. */
export function ExpiryText({ ms }: { ms: number | null }): ReactElement {
  const { t } = useTranslation();
  const now = useServerNow(MINUTE_MS);
  const expiry = expiryOf(ms, now);
  if (expiry.kind === 'never' || ms === null) return <span>{t('base:expiry.never')}</span>;
  return (
    <span>
      <span className="number">{formatDateTime(ms).slice(0, DATE_CHARACTERS)}</span>{' '}
      {expiry.kind === 'expired' ? <ToneText tone="bad">{t('base:expiry.expired')}</ToneText> : null}
      {expiry.kind === 'soon' ? <ToneText tone="warn">{t('base:expiry.soon', { count: expiry.days })}</ToneText> : null}
    </span>
  );
}
