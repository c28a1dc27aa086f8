import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { gatewayQuery } from '@/blocks/history/api';
import { HistoryView } from '@/blocks/history/HistoryView';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { useTab } from '@/lib/tab';
import classes from '../history.module.css';

/** History of points of any gateways. The address names a gateway (device_id, or gateway_id: serial number) and points (dsids). */
export default function HistoryPage(): ReactElement {
  const { t } = useTranslation();
  const { search } = useTab();
  const named = /^[1-9]\d{0,9}$/.test(search.device_id ?? '') ? Number(search.device_id) : null;
  const gateway = useQuery(gatewayQuery(named === null ? (search.gateway_id ?? '') : ''));
  const device = named ?? gateway.data ?? null;
  return (
    <section className={classes.panel}>
      <h1 className={classes.head}>{t('history:title')}</h1>
      {gateway.error !== null ? (
        <Trouble error={gateway.error} onRetry={() => void gateway.refetch()} />
      ) : gateway.isLoading ? (
        <PageSkeleton />
      ) : (
        <HistoryView device={device} />
      )}
    </section>
  );
}
