import { IconPlugConnectedX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useNow } from '@/components/useNow';
import { retryLive, useLink } from '@/lib/live';
import { PATIENCE_MS } from '@/lib/live/contact';
import { formatClock } from '@/lib/time';
import classes from './layout.module.css';

export function ConnectionBanner(): ReactElement {
  const { t } = useTranslation();
  const lostAtMs = useLink((link) => link.lostAtMs);
  const now = useNow(500);
  const visible = lostAtMs !== null && now - lostAtMs > PATIENCE_MS;
  return (
    <div role="status" aria-live="polite">
      {visible ? (
        <div className={classes.banner} data-testid="connection-banner">
          <IconPlugConnectedX size={18} stroke={1.6} aria-hidden />
          <span>{t('base:link.banner', { time: formatClock(lostAtMs) })}</span>
          <button type="button" onClick={retryLive}>
            {t('base:link.retry')}
          </button>
        </div>
      ) : null}
    </div>
  );
}
