import { Anchor, Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import { formatDateTime } from '@/lib/time';
import { countQuery, configurationStateQuery } from '../api';
import classes from '../points.module.css';

const SHORT_HASH = 8;

/** What runs, how much of what is edited is not deployed, and the way to the deployment. */
export function DraftState({ deviceId }: { deviceId: number }): ReactElement | null {
  const { t } = useTranslation();
  const link = useScreenLink('/deviceDetail/index', { device_id: deviceId, tab: 'configuration' });
  const { data } = useQuery(configurationStateQuery(deviceId));
  const running = data?.running ?? null;
  const draft = data?.draft ?? null;
  const count = useQuery({
    ...countQuery(deviceId, running?.hash ?? '', draft?.hash ?? ''),
    enabled: running !== null && draft !== null && running.known,
  });
  if (data === undefined) return null;
  return (
    <div className={classes.standing} role="status" data-testid="points-standing">
      <span>
        {running === null
          ? t('points:standing.nothing')
          : t('points:standing.running', { hash: running.hash.slice(0, SHORT_HASH) })}
      </span>
      {draft === null ? null : (
        <Badge variant="light" color="yellow" tt="none" data-testid="points-undeployed">
          {count.data === undefined ? t('points:standing.draft') : t('points:standing.changes', { count: count.data })}
        </Badge>
      )}
      {draft === null ? null : (
        <span className={classes.by}>
          {t('points:standing.by', { author: draft.author, time: formatDateTime(draft.changed_ms) })}
        </span>
      )}
      <Anchor {...link} size="sm" data-testid="points-deploy">
        {t(draft === null ? 'points:standing.configuration' : 'points:standing.deploy')}
      </Anchor>
    </div>
  );
}
