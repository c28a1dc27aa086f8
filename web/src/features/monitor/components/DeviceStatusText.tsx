import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useCut } from '@/blocks/live/useCut';
import { useTimeWords } from '@/components/useTimeWords';
import { ToneText } from '@/components/Tone';
import { useServerNow } from '@/components/useNow';
import { countsAsOnline } from '@/lib/quality';
import { reasonKey } from '@/lib/reasons';
import { formatSince } from '@/lib/time';
import type { DeviceRow } from '../api';
import { complaintOf, isNew, isSilent, isStatus, statusTone, wrongSecretAt } from '../presence';
import type { Presence } from '../presence';

/** Words that count minutes are renewed this often. */
const STEP_MS = 5_000;

/** Nothing comes of it. */
const PLUGGED: ReadonlySet<string> = new Set(['offline', 'silent']);

type Known = Pick<DeviceRow, 'status' | 'presence'>;

/** One status with its icon; unknown while the cloud is silent. */
export function DeviceStatusText({ device }: { device: Known }): ReactElement {
  const { t } = useTranslation();
  const word = isNew(device.presence)
    ? t('base:code.device.new')
    : isStatus(device.status)
      ? t(`base:code.device.${device.status}`)
      : device.status;
  if (useCut()) {
    return (
      <span title={t('monitor:status.last', { status: word })}>
        <ToneText tone="off">{t('monitor:status.unknown')}</ToneText>
      </span>
    );
  }
  return (
    <span
      title={
        isStatus(device.status) ? t(`base:deviceStatus.${isNew(device.presence) ? 'new' : device.status}`) : undefined
      }
    >
      <ToneText tone={statusTone(device.presence)} icon={PLUGGED.has(device.status) ? 'plug' : undefined} strong>
        {word}
      </ToneText>
    </span>
  );
}

/** Why the status is what it is, and since when; both empty while nobody can know. */
export function usePresenceWords(): (presence: Presence) => { why: string; since: string } {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const cut = useCut();
  const now = useServerNow(STEP_MS);
  const why = (presence: Presence): string => {
    if (presence.code === 'ok' || presence.code === '' || isNew(presence)) return '';
    const tried_ms = wrongSecretAt(presence);
    if (tried_ms !== null) return t('monitor:presence.wrongSecret', { time: formatSince(tried_ms, now) });
    const complaint = complaintOf(presence, now);
    if (complaint === null) {
      const key = reasonKey(presence.code);
      return key === null ? presence.code : t(key);
    }
    const { code, title, silent_ms, count, total, silent, left_ms, reason, port, user, back_ms } = complaint;
    if (code === 'asleep') return t('monitor:presence.asleep', { time: formatSince(back_ms, now) });
    if (code === 'alarm_open')
      return `${t('monitor:presence.alarmOpen', { count })}${silent === 0 ? '' : t('monitor:presence.alarmSilent', { count: silent })}`;
    if (code === 'port_lent')
      return t(user === '' ? 'monitor:presence.portLentOnSite' : 'monitor:presence.portLent', { port, user });
    if (code !== 'slave_silent' && code !== 'no_slave_answers')
      return t(`monitor:presence.${code}`, { count, left: duration(left_ms) });
    const key = reasonKey(reason);
    const first =
      silent_ms === null
        ? t('monitor:presence.slaveNever', { title })
        : t('monitor:presence.slaveSilent', { title, silent: duration(silent_ms) });
    const cause = reason === '' ? '' : t('monitor:presence.because', { reason: key === null ? reason : t(key) });
    if (code === 'no_slave_answers' && total > 1)
      return t('monitor:presence.noneAnswers', { total, first: `${first}${cause}` });
    return `${first}${cause}${count === 0 ? '' : t('monitor:presence.more', { count })}`;
  };
  return (presence) => {
    if (cut) return { why: '', since: '' };
    const since =
      presence.since_ms === null || presence.since_ms === undefined
        ? ''
        : t(`monitor:since.${presence.layer === 'none' || presence.code === 'asleep' ? 'online' : presence.layer}`, {
            time: formatSince(presence.since_ms, now),
          });
    return { why: why(presence), since };
  };
}

/** The reason alone, for lists; nothing when all is well. */
export function Reason({ presence, separator = '' }: { presence: Presence; separator?: string }): ReactElement | null {
  const { why } = usePresenceWords()(presence);
  return why === '' ? null : <>{`${separator}${why}`}</>;
}

/** How many slaves answer, of a gateway that has any. Behind one that is away, and while the cloud is silent, nobody knows. */
export function SlaveCount({
  device,
}: {
  device: Pick<DeviceRow, 'link' | 'status' | 'presence' | 'slaves_online' | 'slaves_total'>;
}): ReactElement {
  const { t } = useTranslation();
  const cut = useCut();
  const { slaves_online: online, slaves_total: total } = device;
  if (total === 0) return <>–</>;
  if (cut || !countsAsOnline(device.link)) {
    return (
      <span title={t('monitor:slave.lastKnown', { online, total })}>
        <ToneText tone="off">{t('monitor:slave.unknownOf', { total })}</ToneText>
      </span>
    );
  }
  const text = `${online} / ${total}`;
  if (device.status === 'silent') return <ToneText tone="bad">{text}</ToneText>;
  return isSilent(device.presence) ? <ToneText tone="warn">{text}</ToneText> : <>{text}</>;
}
