import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { AlarmLevelTag } from '@/blocks/alarms/AlarmLevelTag';
import { ScreenLink } from '@/components/ScreenLink';
import { StatusBadge } from '@/components/StatusBadge';
import type { AlarmLevel } from '@/lib/alarmTypes';
import { reasonKey, targetKey } from '@/lib/reasons';
import { formatDateTime } from '@/lib/time';
import type { AlarmRow, OnOfflineEvent, Overview } from '../api';
import { levelsQuery } from '../api';
import classes from '../overview.module.css';
import { Panel } from './Panel';

const MAX = 10;
const WENT = 0;
const NO_LEVELS: readonly AlarmLevel[] = [];

type Event = { at: number; alarm: AlarmRow } | { at: number; onOff: OnOfflineEvent };

/** The newest of both kinds, as far as the user may read them. */
export function newestOf({ alarms, on_offline }: Overview['events']): readonly Event[] {
  const all: Event[] = [
    ...(alarms ?? []).map((alarm) => ({ at: alarm.at, alarm })),
    ...(on_offline ?? []).map((onOff) => ({ at: onOff.at, onOff })),
  ];
  return all.toSorted((a, b) => b.at - a.at).slice(0, MAX);
}

export function EventList({ events }: { events: Overview['events'] }): ReactElement | null {
  const { t } = useTranslation();
  if ((events.alarms ?? null) === null && (events.on_offline ?? null) === null) return null;
  const rows = newestOf(events);
  const path = events.alarms === null ? '/alarm/onOffline' : '/alarm/alarmlog';
  return (
    <Panel name="events" title={t('overview:events.title')} all={{ path, text: t('overview:events.all') }}>
      {rows.length === 0 ? (
        <p className={classes.note}>{t('overview:events.none')}</p>
      ) : (
        <ul className={classes.events}>
          {rows.map((row) =>
            'alarm' in row ? (
              <Alarm key={`a${row.alarm.id}`} row={row.alarm} />
            ) : (
              <OnOff key={`o${row.onOff.id}:${row.onOff.status}`} row={row.onOff} />
            ),
          )}
        </ul>
      )}
    </Panel>
  );
}

/** levels: asked for only when an event has a level of the platform's own. */
function Alarm({ row }: { row: AlarmRow }): ReactElement {
  const { t } = useTranslation();
  const { data: levels = NO_LEVELS } = useQuery({
    ...levelsQuery,
    enabled: row.level !== null && row.level !== undefined,
  });
  const key = reasonKey(row.cause);
  const ofTarget = targetKey(row.cause);
  const plain = row.title || (key === null ? row.cause : t(key));
  const says = ofTarget === null ? plain : t(ofTarget, { name: row.title });
  return (
    <li data-testid="overview-event">
      <span className={classes.mark}>
        <AlarmLevelTag type={row.alarm_type} level={row.level} levels={levels} />
      </span>
      <Who path="/alarm/alarmlog" row={row} says={says} />
      <time className="number">{formatDateTime(row.at)}</time>
    </li>
  );
}

function OnOff({ row }: { row: OnOfflineEvent }): ReactElement {
  const { t } = useTranslation();
  const key = reasonKey(row.reason);
  const says = row.status === WENT ? (key === null ? row.reason : t(key)) : '';
  return (
    <li data-testid="overview-event">
      <span className={classes.mark}>
        <StatusBadge kind="onoff" code={row.status} />
      </span>
      <Who path="/alarm/onOffline" row={row} says={says} />
      <time className="number">{formatDateTime(row.at)}</time>
    </li>
  );
}

function Who({ path, row, says }: { path: string; row: AlarmRow | OnOfflineEvent; says: string }): ReactElement {
  const name = [row.device_title || row.gateway_id, row.slave_title || row.slave || ''].filter(Boolean).join(' / ');
  return (
    <span className={classes.who}>
      <ScreenLink path={path} search={{ device: row.device_id }}>
        {name}
      </ScreenLink>
      {says === '' ? null : <span className={classes.why}>{says}</span>}
    </span>
  );
}
