import { Alert, Anchor, Button, Group, Loader, VisuallyHidden } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Secret } from '@/blocks/secret/Secret';
import { Trouble } from '@/components/Trouble';
import { useServerNow } from '@/components/useNow';
import { onDevice, watchDevice } from '@/lib/live';
import { useGo, useScreenLink } from '@/lib/navigation';
import { deviceQuery, draftRowsQuery, firstValuesQuery, configurationStateQuery } from '../api';
import type { NewDevice } from '../api';
import classes from '../devices.module.css';
import { makeRemaining } from '../making';
import { isByHand } from '../remaining';
import type { Missing, Remaining } from '../remaining';
import { arrivalOf, groundOf, keepArrival, storedArrival, stageOf } from '../wizard';
import { Deploying, Line } from './Deploying';
import { ReadyFile } from './ReadyFile';

const LOOK_EVERY_MS = 2_000;
const SECOND_MS = 1_000;

interface Props {
  id: number;
  made: NewDevice | null;
  /** What the gateway still lacks when this is first shown. */
  first: Remaining;
  onAgain: () => void;
  onRemaining: (remaining: Remaining) => void;
}

/** What the gateway needs now, and the wait for its first word and its first values. */
export function DoneStep({ id, made, first, onAgain, onRemaining }: Props): ReactElement {
  const { t } = useTranslation();
  const go = useGo();
  const { data: device } = useQuery(deviceQuery(id));
  const [remaining, setRemaining] = useState(first);
  const { bare, missing } = remaining;
  const cache = useQueryClient();
  const trying = useMutation({
    mutationFn: (remaining: Remaining) => makeRemaining(id, remaining),
    meta: { errorInPlace: true },
    onSuccess: (now) => {
      setRemaining(now);
      onRemaining(now);
      void cache.invalidateQueries({ queryKey: ['device', id] });
    },
  });
  return (
    <>
      {made === null ? <p>{t('devices:secretGone')}</p> : <Secret made={made} />}
      {missing.length === 0 ? null : (
        <NotDone id={id} missing={missing} isTrying={trying.isPending} onTry={() => trying.mutate(remaining)} />
      )}
      {device === undefined ? null : (
        <ReadyFile gatewayId={device.gateway_id} title={device.device_title} isSecretVisible={made !== null} />
      )}
      {bare.length === 0 ? null : <Bare id={id} slaves={bare} />}
      <Arrivals id={id} />
      <Group>
        <Button onClick={() => go('/deviceDetail/index', { device_id: id })} data-testid="wizard-open">
          {t('devices:wizard.open')}
        </Button>
        <Button variant="default" onClick={onAgain} data-testid="wizard-again">
          {t('devices:wizard.again')}
        </Button>
      </Group>
    </>
  );
}

/** Slaves that were made without a template: their points are entered in the editor, before or after the gateway comes. */
function Bare({ id, slaves }: { id: number; slaves: readonly string[] }): ReactElement | null {
  const { t } = useTranslation();
  const go = useGo();
  const { data: rows } = useQuery(draftRowsQuery(id));
  const left = slaves.filter((slave) => rows === undefined || rows.slaves.get(slave)?.points === 0);
  if (left.length === 0) return null;
  return (
    <Alert color="blue" mt="md" data-testid="wizard-bare">
      <p>{t('devices:wizard.bareText')}</p>
      <Group gap="xs">
        {left.map((slave) => (
          <Button
            key={slave}
            variant="default"
            size="compact-sm"
            onClick={() => go('/device/gateway/slavedevice', { device_id: id, slave })}
            data-testid="wizard-add-points"
          >
            {t('devices:wizard.addPoints', { name: slave })}
          </Button>
        ))}
      </Group>
    </Alert>
  );
}

interface NotDoneProps {
  id: number;
  missing: readonly Missing[];
  isTrying: boolean;
  onTry: () => void;
}

/** The gateway is there, and this is made by another try or by hand. */
function NotDone({ id, missing, isTrying, onTry }: NotDoneProps): ReactElement {
  const { t } = useTranslation();
  const points = useScreenLink('/device/gateway/slavedevice', { device_id: id });
  return (
    <Alert color="yellow" role="alert" mt="md" data-testid="wizard-missing">
      <p>{t('devices:wizard.missing')}</p>
      <ul>
        {missing.map(({ part, name, why }) => (
          <li key={`${part}/${name}`}>
            {t(`devices:wizard.failed.${part}`, { name, why: why || t('devices:wizard.notKept') })}
          </li>
        ))}
      </ul>
      <Group gap="xs">
        {missing.every(isByHand) ? null : (
          <Button size="compact-sm" loading={isTrying} onClick={onTry} data-testid="wizard-try">
            {t('base:action.retry')}
          </Button>
        )}
        <Button {...points} component="a" variant="default" size="compact-sm">
          {t('devices:slavesAndPoints')}
        </Button>
      </Group>
    </Alert>
  );
}

/** First connection, deployment of what was chosen, first value: each with what it waits for. */
function Arrivals({ id }: { id: number }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const now = useServerNow(SECOND_MS);
  const { data: device, error, refetch } = useQuery({ ...deviceQuery(id), refetchInterval: LOOK_EVERY_MS });
  const { data: first } = useQuery(firstValuesQuery(id, LOOK_EVERY_MS));
  const { data: state } = useQuery(configurationStateQuery(id, LOOK_EVERY_MS));
  const live = useScreenLink('/deviceDetail/index', { device_id: id, tab: 'live' });
  const [online_s, setOnline] = useState(() => storedArrival(sessionStorage, id));
  const seen_s = device === undefined ? null : arrivalOf(device, 0, []).online_s;
  if (online_s === null && seen_s !== null) setOnline(seen_s);
  useEffect(() => {
    if (online_s !== null) keepArrival(sessionStorage, id, online_s);
  }, [id, online_s]);
  useEffect(() => {
    const leave = watchDevice(id);
    const stop = onDevice((push) => void (push.did === id && cache.invalidateQueries({ queryKey: ['device', id] })));
    return () => {
      stop();
      leave();
    };
  }, [cache, id]);
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (device === undefined) return <Loader size={20} />;
  const { read, points } = arrivalOf(device, first?.points.length ?? 0, first?.values ?? []);
  const waited_s = Math.max(0, Math.round((now - device.created_ms) / 1000));
  const isRead = points > 0 && read > 0;
  const stage = stageOf(device.link.online, state, points);
  const isRefused = device.presence.code === 'wrong_secret';
  const values = isRead
    ? t('devices:arrival.read', { read, points })
    : t(`devices:arrival.${stage === 'deployed' ? 'reading' : 'later'}`);
  return (
    <ul
      className={classes.waits}
      data-testid="arrivals"
      data-online={online_s !== null}
      data-read={read}
      data-stage={stage}
    >
      <Line state={online_s === null ? (isRefused ? 'wrong' : 'waits') : 'done'}>
        {online_s !== null
          ? t('devices:arrival.online', { seconds: online_s })
          : t(`devices:arrival.${isRefused ? 'refused' : 'waiting'}`, { seconds: waited_s })}
      </Line>
      {isRead && stage === 'unknown' ? null : (
        <Deploying
          id={id}
          stage={stage}
          hasDraft={(state?.draft ?? null) !== null}
          last={state?.deployment ?? null}
          ground={groundOf(state)}
        />
      )}
      <Line state={isRead ? (read < points ? 'partly' : 'done') : stage === 'deployed' ? 'waits' : 'later'}>
        {values}
        {isRead && read < points ? (
          <>
            {' · '}
            {t('devices:arrival.unread')} <Anchor {...live}>{t('devices:arrival.live')}</Anchor>
          </>
        ) : null}
      </Line>
      <VisuallyHidden component="li">
        <span role="status">{isRead || stage === 'deployed' ? values : t(`devices:arrival.stage.${stage}`)}</span>
      </VisuallyHidden>
    </ul>
  );
}
