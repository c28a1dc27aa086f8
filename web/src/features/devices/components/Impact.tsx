import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/components/notices';
import { impactQuery } from '../api';
import classes from '../devices.module.css';

const KINDS = ['slaves', 'points', 'shares', 'alarms', 'absences', 'commands', 'versions'] as const;

/** What goes with a gateway, in words. */
export default function Impact({ id }: { id: number }): ReactElement {
  const { t } = useTranslation();
  const { data, error } = useQuery(impactQuery(id));
  if (error !== null) return <>{errorText(error)}</>;
  if (data === undefined) return <Skeleton component="span" display="block" h={20} />;
  const parts = KINDS.filter((kind) => data[kind] > 0).map((kind) =>
    t(`devices:impact.${kind}`, { count: data[kind] }),
  );
  return (
    <span data-testid="impact">
      {parts.length === 0
        ? t('devices:impact.nothing')
        : t('devices:impact.goes', { what: parts.join(t('devices:impact.comma')) })}
      {data.online ? <span className={classes.ownLine}>{t('devices:impact.online')}</span> : null}
    </span>
  );
}
