import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ScreenLink } from '@/components/ScreenLink';
import { ToneText } from '@/components/Tone';
import type { BadgeTone } from '@/lib/statusCodes';
import { formatDateTime } from '@/lib/time';
import { notificationQuery } from '../api';
import type { AlarmNotification, AlarmRow } from '../api';
import classes from '../events.module.css';
import { isRecovery } from '../handling';

type Delivery = AlarmNotification['deliveries'][number];

const TONES: Readonly<Record<Delivery['state'], BadgeTone>> = {
  queued: 'info',
  held: 'off',
  sent: 'ok',
  failed: 'bad',
  dropped: 'warn',
};
/** Problems that are none: nobody should be told, or it is not decided yet. */
const CALM: ReadonlySet<string> = new Set(['quiet', 'pending']);

/** Who was told of an alarm, or why nobody was. */
export function AlarmNotified({ row }: { row: AlarmRow }): ReactElement | null {
  const { t } = useTranslation();
  const { data } = useQuery({ ...notificationQuery(row.id), enabled: !isRecovery(row.alarm_type) });
  if (data === undefined) return null;
  return (
    <section data-testid="alarm-notified">
      <h3>{t('events:notified.title')}</h3>
      <Summary {...data} />
      {data.deliveries.length === 0 ? null : (
        <ul className={classes.record}>
          {data.deliveries.map((delivery) => (
            <li key={delivery.id} data-state={delivery.state}>
              <Line {...delivery} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Summary({ reached, waiting, problem }: AlarmNotification): ReactElement {
  const { t } = useTranslation();
  if (problem !== '' && !CALM.has(problem)) {
    return (
      <Text size="sm">
        <ToneText tone="bad">{t('events:notified.nobody')}</ToneText>
        {` · ${t(`base:delivery.reason.${problem}`)} · `}
        <ScreenLink path="/alarm/trigger/contact" search={{ tab: 'groups' }}>
          {t('events:notified.contacts')}
        </ScreenLink>
      </Text>
    );
  }
  const said = [
    reached > 0 ? t('events:notified.reached', { count: reached }) : '',
    waiting > 0 ? t('events:notified.waiting', { count: waiting }) : '',
  ].filter((each) => each !== '');
  if (said.length > 0) return <Text size="sm">{said.join(' · ')}</Text>;
  return (
    <Text size="sm" c="dimmed">
      {t(`events:notified.${problem || 'unknown'}`)}
    </Text>
  );
}

function Line({ name, channel, state, reason, sent_ms, due_ms, created_ms }: Delivery): ReactElement {
  const { t } = useTranslation();
  const isOpen = state === 'queued' || state === 'held';
  const when = state === 'sent' ? sent_ms : isOpen ? due_ms : created_ms;
  const where = [name, channel === '' ? '' : t(`base:delivery.channel.${channel}`)].filter((each) => each !== '');
  return (
    <>
      {where.length === 0 ? '' : `${where.join(' · ')} · `}
      <ToneText tone={TONES[state]}>{t(`base:delivery.state.${state}`)}</ToneText>
      {reason === '' ? '' : ` · ${t(`base:delivery.reason.${reason}`)}`}
      {when === null ? null : (
        <span className={`${classes.moment} number`}>
          {` · ${isOpen ? t('events:notified.until', { at: formatDateTime(when) }) : formatDateTime(when)}`}
        </span>
      )}
    </>
  );
}
