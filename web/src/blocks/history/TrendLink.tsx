import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import { usePerm } from '@/components/permission';
import classes from './trendLink.module.css';
import { trendAddress } from './trend';
import type { TrendPoint } from './trend';

interface Props {
  point: TrendPoint;
  deviceId: number;
  /** On the device's own page the history is its tab; elsewhere it is the page of history. */
  within?: 'device';
  children: ReactNode;
}

/** A value that leads to its last hour, for who may read history; for others the value alone. */
export function TrendLink({ point, deviceId, within, children }: Props): ReactElement {
  const { t } = useTranslation();
  const may = usePerm('HisData');
  const { path, search } = trendAddress(point, deviceId, within);
  const link = useScreenLink(path, search);
  if (!may) return <>{children}</>;
  return (
    <a
      {...link}
      className={classes.trend}
      title={t('base:history.trendOf', { name: point.ds_title })}
      data-testid={`trend-${point.ds_name}`}
    >
      {children}
    </a>
  );
}
