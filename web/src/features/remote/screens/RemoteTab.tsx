import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { useTabDevice } from '@/blocks/devices/useTabDevice';
import { useTab } from '@/lib/tab';
import { portSessionsQuery, portsQuery } from '../api';
import { GatewayPage } from '../components/GatewayPage';
import { OpenSession } from '../components/OpenSession';
import { OpenPort } from '../components/OpenPort';
import { PastSessions } from '../components/PastSessions';
import classes from '../remote.module.css';

/** A gateway's ports and its page, borrowed for a while. */
export default function RemoteTab(): ReactElement {
  const { t } = useTranslation();
  const device = useTabDevice();
  const { search } = useTab();
  const hindrance = useHindrance('DeviceManage', device);
  const sessions = useQuery(portSessionsQuery(device.id));
  const ports = useQuery(portsQuery(device.id));
  if (sessions.data === undefined || (ports.data === undefined && ports.error === null)) {
    return sessions.error === null ? (
      <PageSkeleton />
    ) : (
      <Trouble error={sessions.error} onRetry={() => void sessions.refetch()} />
    );
  }
  const openSessions = sessions.data.filter((session) => session.ended_ms === null);
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
          {openSessions.map((session) => (
            <OpenSession key={session.lease} deviceId={device.id} session={session} hindrance={hindrance} />
          ))}
          <OpenPort
            deviceId={device.id}
            online={online}
            ports={ports.data ?? null}
            openSessions={openSessions}
            hindrance={hindrance}
          />
        </section>
        {isForFrames ? null : page}
      </div>
      <PastSessions sessions={sessions.data.filter((session) => session.ended_ms !== null)} />
    </>
  );
}
