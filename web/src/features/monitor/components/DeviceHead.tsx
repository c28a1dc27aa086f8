import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useCut } from '@/blocks/live/useCut';
import { useTimeWords } from '@/components/useTimeWords';
import { Maintenance } from '@/blocks/alarms/Maintenance';
import { DeviceStar } from '@/blocks/devices/Star';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { ToneText } from '@/components/Tone';
import { useServerNow } from '@/components/useNow';
import { deviceTitle } from '@/lib/deviceTitle';
import type { DeviceDetail } from '../api';
import classes from '../monitor.module.css';
import { isSteady } from '../presence';
import { DeviceStatusText, SlaveCount, usePresenceWords } from './DeviceStatusText';
import { GatewayMenu } from './GatewayMenu';
import { LiveAge } from './LiveAge';
import { CollectionShare, TransportShare } from './Shares';

const HOUR_MS = 3_600_000;
/** Below this the outbox of the gateway fills up within a day. */
const SCARCE_HOURS = 24;
const STEP_MS = 30_000;

/** Who it is, how it is and why, and how complete its data is. */
export function DeviceHead({ device }: { device: DeviceDetail }): ReactElement {
  const { t } = useTranslation();
  const { why, since } = usePresenceWords()(device.presence);
  const noKeeping = useHindrance('Device/save', device);
  const [isExpanded, setExpanded] = useState(false);
  return (
    <section
      className={`${classes.panel} ${classes.head}`}
      data-testid="page-head"
      aria-label={t('monitor:detail.summary')}
    >
      <div className={classes.headLine}>
        <h1>{deviceTitle(device)}</h1>
        <DeviceStar id={device.id} title={deviceTitle(device)} />
        <span className={`${classes.mono} ${classes.optional}`}>{device.gateway_id}</span>
        <span data-testid="device-status" data-status={device.status}>
          <DeviceStatusText device={device} />
        </span>
        <span className={classes.hint} data-testid="device-reason">
          {[since, why].filter(Boolean).join(t('monitor:presence.colon'))}
        </span>
        <UnstyledButton
          className={classes.moreFacts}
          onClick={() => setExpanded(!isExpanded)}
          aria-expanded={isExpanded}
          data-testid="more-facts"
        >
          {t(isExpanded ? 'monitor:fact.less' : 'monitor:fact.more')}
        </UnstyledButton>
        <Maintenance deviceId={device.id} hindrance={noKeeping} />
        <GatewayMenu device={device} />
      </div>
      <dl className={`${classes.facts} ${classes.headFacts}`} data-whole={isExpanded || undefined}>
        <Fact name={t('monitor:fact.slaves')}>
          <SlaveCount device={device} />
        </Fact>
        <Fact name={t('monitor:fact.lastData')}>
          <LiveAge deviceId={device.id} ms={device.data_ms ?? null} />
        </Fact>
        <Fact name={t('monitor:fact.collection')}>
          <CollectionShare deviceId={device.id} />
        </Fact>
        <Fact name={t('monitor:fact.transport')}>
          <TransportShare deviceId={device.id} />
        </Fact>
        <Fact name={t('monitor:fact.backlog')}>{t('monitor:fact.batches', { count: device.backlog_batches })}</Fact>
        <Fact name={t('monitor:fact.hoursLeft')}>
          <HoursLeft device={device} />
        </Fact>
        <Fact name={t('monitor:fact.version')}>{device.agent_version || '–'}</Fact>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function HoursLeft({ device }: { device: DeviceDetail }): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const now = useServerNow(STEP_MS);
  const cut = useCut();
  const hours = device.hours_left ?? null;
  if (hours === null && !cut && isSteady(device, now))
    return <span title={t('monitor:fact.steadyText')}>{t('monitor:fact.steady')}</span>;
  if (hours === null) return <span title={t('monitor:fact.hoursUnknown')}>–</span>;
  const text = duration(hours * HOUR_MS);
  return hours < SCARCE_HOURS ? <ToneText tone="warn">{text}</ToneText> : <>{text}</>;
}
