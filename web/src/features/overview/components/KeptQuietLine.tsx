import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ScreenLink } from '@/components/ScreenLink';
import type { Overview } from '../api';
import classes from '../overview.module.css';

const KINDS = ['shelved', 'maintenance', 'out_of_service'] as const;

/** What is kept quiet and so no problem above: how much of each kind, which leads to it. */
export function KeptQuietLine({ suppressions }: { suppressions: Overview['suppressions'] }): ReactElement | null {
  const { t } = useTranslation();
  const kinds = KINDS.filter((kind) => (suppressions?.[kind] ?? 0) > 0);
  if (kinds.length === 0) return null;
  return (
    <p className={classes.foot} data-testid="overview-quiet">
      {t('overview:quiet.title')}{' '}
      {kinds.map((kind) => (
        <span key={kind} className={classes.more}>
          <ScreenLink path="/alarm/alarmlog" search={{ view: 'quiet', kind }} data-testid={`overview-${kind}`}>
            {t(`overview:quiet.${kind}`, { count: suppressions?.[kind] ?? 0 })}
          </ScreenLink>
        </span>
      ))}
    </p>
  );
}
