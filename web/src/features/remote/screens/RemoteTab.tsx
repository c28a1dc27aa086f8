import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { useTabDevice } from '@/blocks/devices/useTabDevice';
import { useTab } from '@/lib/tab';
import { leasesQuery, portsQuery } from '../api';
import { GatewayPage } from '../components/GatewayPage';
import { LivingLease } from '../components/LivingLease';
import { OpenPort } from '../components/OpenPort';
import { PastLeases } from '../components/PastLeases';
import classes from '../remote.module.css';

/** A gateway's ports and its page, borrowed for a while. */
export default function RemoteTab(): ReactElement {
  const { t } = useTranslation();
  const device = useTabDevice();
  const { search } = useTab();
  const hindrance = useHindrance('DeviceManage', device);
  const leases = useQuery(leasesQuery(device.id));
  const ports = useQuery(portsQuery(device.id));
  if (leases.data === undefined || (ports.data === undefined && ports.error === null)) {
    return leases.error === null ? (
      <PageSkeleton />
    ) : (
      <Trouble error={leases.error} onRetry={() => void leases.refetch()} />
    );
  }
  const living = leases.data.filter((lease) => lease.ended_ms === null);
  const { online } = device.link;
  const page = <GatewayPage deviceId={device.id} online={online} hindrance={hindrance} />;
  // Who came for the frames of a slave finds their button first.
  const isForFrames = (search.frames ?? '') !== '';
  return (
    <>
      <div className={classes.panels} data-frames={isForFrames || undefined} data-testid="remote">
        {isForFrames ? page : null}
        <section aria-label={t('remote:vcom.title')}>
          <h2>{t('remote:vcom.title')}</h2>
          <Text size="sm" c="dimmed">
            {t('remote:vcom.text')}
          </Text>
          {online ? null : (
            <Alert color="yellow" mt={12} data-testid="remote-offline">
              {t('remote:refusal.tunnel.offline')}
            </Alert>
          )}
          {living.map((lease) => (
            <LivingLease key={lease.lease} deviceId={device.id} lease={lease} hindrance={hindrance} />
          ))}
          <OpenPort
            deviceId={device.id}
            online={online}
            ports={ports.data ?? null}
            living={living}
            hindrance={hindrance}
          />
        </section>
        {isForFrames ? null : page}
      </div>
      <PastLeases leases={leases.data.filter((lease) => lease.ended_ms !== null)} />
    </>
  );
}
