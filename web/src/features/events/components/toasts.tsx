import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import type { ReactElement } from 'react';
import { AlarmLevelTag } from '@/blocks/alarms/AlarmLevelTag';
import { StatusBadge } from '@/components/StatusBadge';
import type { AlarmLevel } from '@/lib/alarmTypes';
import { targetKey } from '@/lib/reasons';
import { formatClock } from '@/lib/time';
import type { AlarmRow, OnOfflineEvent } from '../api';
import classes from '../events.module.css';
import { keyOf } from '../feed';
import type { Counts, FeedItem } from '../feed';
import { deviceOf, slaveOf } from './useEventWords';

/** Longer than a message of the portal's own: who works elsewhere on the screen shall see it. */
export const EVENT_TOAST_MS = 8_000;
const TOGETHER = 'event:together';

export type Follow = (path: string, search?: Record<string, string>) => void;

const idOf = (item: FeedItem): string => `event:${keyOf(item)}`;

/** The toasts stand outside of the router: links follow by what they are given. */
function Linked({
  path,
  search,
  follow,
  children,
}: {
  path: string;
  search?: Record<string, string>;
  follow: () => void;
  children: React.ReactNode;
}): ReactElement {
  const query = new URLSearchParams(search).toString();
  return (
    <a
      className={classes.toast}
      href={query === '' ? path : `${path}?${query}`}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        follow();
      }}
      data-testid="event-toast"
    >
      {children}
    </a>
  );
}

function show(id: string, message: ReactElement, onClose: () => void): void {
  notifications.show({
    id,
    color: 'steel',
    message,
    autoClose: EVENT_TOAST_MS,
    withBorder: true,
    onClose,
  });
}

/** One event: its badge, its time, whom it concerns, what more there is to say, and the way to the log of its device. */
function showEvent(
  item: FeedItem,
  row: AlarmRow | OnOfflineEvent,
  path: string,
  badge: ReactElement,
  text: string,
  go: Follow,
  onClose: () => void,
): void {
  const search = { device: String(row.device_id) };
  const follow = (): void => {
    hideToast(item);
    go(path, search);
  };
  show(
    idOf(item),
    <Linked path={path} search={search} follow={follow}>
      <span className={classes.toastHead}>
        {badge}
        <span className="number">{formatClock(row.at)}</span>
      </span>
      <strong>{[deviceOf(row), slaveOf(row)].filter(Boolean).join(' / ')}</strong>
      {text === '' ? null : <span>{text}</span>}
    </Linked>,
    onClose,
  );
}

export function showAlarm(
  item: FeedItem,
  row: AlarmRow,
  levels: readonly AlarmLevel[],
  go: Follow,
  onClose: () => void,
): void {
  const badge = <AlarmLevelTag type={row.alarm_type} level={row.level} levels={levels} />;
  const ofTarget = targetKey(row.cause);
  const text = ofTarget === null ? row.title : i18next.t(ofTarget, { name: row.title });
  showEvent(item, row, '/alarm/alarmlog', badge, text, go, onClose);
}

export function showOnOff(item: FeedItem, row: OnOfflineEvent, go: Follow, onClose: () => void): void {
  showEvent(item, row, '/alarm/onOffline', <StatusBadge kind="onoff" code={row.status} />, '', go, onClose);
}

export function hideToast(item: FeedItem): void {
  notifications.hide(idOf(item));
}

let timesTogether = 0;

/** Many events in one toast; shown again it is the same with other counts, and stays as long again. */
export function showTogether({ alarm, recovery, onoff }: Counts, go: Follow, onClose: () => void): void {
  const path = alarm + recovery > 0 ? '/alarm/alarmlog' : '/alarm/onOffline';
  const words = [
    alarm > 0 ? i18next.t('events:together.alarm', { count: alarm }) : '',
    recovery > 0 ? i18next.t('events:together.recovery', { count: recovery }) : '',
    onoff > 0 ? i18next.t('events:together.onoff', { count: onoff }) : '',
  ];
  const follow = (): void => {
    notifications.hide(TOGETHER);
    go(path);
  };
  const message = (
    <Linked path={path} follow={follow}>
      <strong>{words.filter(Boolean).join(i18next.t('events:together.and'))}</strong>
      <span>{i18next.t('events:together.text')}</span>
    </Linked>
  );
  // Its timer begins anew only with another time: in a flood one toast counts to the end.
  timesTogether += 1;
  const autoClose = EVENT_TOAST_MS + (timesTogether % 2);
  const data = { id: TOGETHER, color: 'steel', message, autoClose, withBorder: true, onClose };
  notifications.update(data);
  notifications.show(data);
}
