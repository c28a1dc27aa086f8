import { useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { ApiError } from '@/api/errors';
import { isHidden, onAlarm, onOnOff, onResume, onVisible } from '@/lib/live';
import { useGo } from '@/lib/navigation';
import { serverNow } from '@/lib/serverClock';
import { playTone } from '@/lib/sounds';
import { levelsQuery, newestAlarms, newestOnOffs } from '../api';
import { isRecovery } from '../handling';
import { NEW_SINCE_MS, EventFeed, feedStart } from '../feed';
import type { FeedItem } from '../feed';
import type { Notifications } from '../settings';
import { isAnnounced } from '../views';
import { hideToast, showAlarm, showOnOff, showTogether } from './toasts';
import type { Follow } from './toasts';

/** Most rows that a look for what is new brings. */
const MAX_NEW = 100;
const CAME = 1;

const ofAlarm = (id: number, at: number, type: number, count = 1): FeedItem => ({
  kind: 'alarm',
  id,
  at,
  good: isRecovery(type),
  count,
});
const ofOnOff = (id: number, at: number, status: number): FeedItem => ({
  kind: 'onoff',
  id,
  at,
  good: status === CAME,
});

/** Toasts and tones for what happens from now on, as the user set them. */
export function useEventFeed(settings: Notifications): void {
  const cache = useQueryClient();
  const go = useGo();
  const latest = useRef(settings);
  useEffect(() => {
    latest.current = settings;
  }, [settings]);
  useEffect(() => {
    const desk: EventFeed = new EventFeed({
      now: Date.now,
      after: (ms, work) => {
        const timer = setTimeout(work, ms);
        return () => clearTimeout(timer);
      },
      isHidden,
      settings: () => latest.current,
      tone: playTone,
      showEach: (items) => void showRows(cache, items, go, (item) => desk.closed(item)),
      showTogether: (counts) => showTogether(counts, go, () => desk.closedTogether()),
      hideEach: (items) => items.forEach(hideToast),
    });
    let missedFrom: number | null = null;
    const catchUp = (): void => {
      if (missedFrom === null || isHidden()) return;
      const from = missedFrom - NEW_SINCE_MS;
      missedFrom = null;
      void missed(latest.current, from).then((items) => items.forEach((item) => desk.take(item)));
    };
    const leave = [
      onAlarm(({ event, id, at = 0, alarm_type = 0, count }) => {
        if (event === 'new') desk.take(ofAlarm(id, at, alarm_type, count));
      }),
      onOnOff(({ id, at, status }) => desk.take(ofOnOff(id, at, status))),
      onResume((lostAt) => {
        missedFrom = Math.min(missedFrom ?? lostAt, lostAt);
        catchUp();
      }),
      onVisible(() => {
        catchUp();
        desk.becameVisible();
      }),
    ];
    return () => {
      for (const each of leave) each();
      desk.stop();
    };
  }, [cache, go]);
}

const NONE = { rows: [] };

function unless<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof ApiError) return instead;
    throw error;
  };
}

/** What happened while the connection was lost. A failed look is no news: lists and badge are asked again anyway. */
async function missed({ alarm, onoff }: Notifications, from: number): Promise<FeedItem[]> {
  const [alarms, onOffs] = await Promise.all([
    alarm ? newestAlarms(1, MAX_NEW, undefined, from).catch(unless(NONE)) : NONE,
    onoff ? newestOnOffs(1, MAX_NEW, undefined, from).catch(unless(NONE)) : NONE,
  ]);
  return [
    ...alarms.rows.filter(isAnnounced).map(({ id, at, alarm_type }) => ofAlarm(id, at, alarm_type)),
    ...onOffs.rows.map(({ id, at, status }) => ofOnOff(id, at, status)),
  ];
}

/** Toasts with the rows of a few events; only a number when they cannot be had, and nothing for what is gone again. */
async function showRows(
  cache: QueryClient,
  items: readonly FeedItem[],
  go: Follow,
  onClose: (item: FeedItem) => void,
): Promise<void> {
  const from = feedStart(serverNow(), items);
  const of = (kind: FeedItem['kind']): readonly FeedItem[] => items.filter((item) => item.kind === kind);
  const [alarms, onOffs, levels] = await Promise.all([
    of('alarm').length > 0 ? newestAlarms(1, MAX_NEW, undefined, from).catch(unless(null)) : NONE,
    of('onoff').length > 0 ? newestOnOffs(1, MAX_NEW, undefined, from).catch(unless(null)) : NONE,
    cache.ensureQueryData(levelsQuery).catch(unless([])),
  ]);
  if (alarms === null || onOffs === null) {
    const good = of('alarm').filter((item) => item.good).length;
    const counts = { alarm: of('alarm').length - good, recovery: good, onoff: of('onoff').length };
    showTogether(counts, go, () => items.forEach(onClose));
    return;
  }
  for (const item of items) {
    const close = (): void => onClose(item);
    const alarm = item.kind === 'alarm' ? alarms.rows.find(({ id }) => id === item.id) : undefined;
    const onOff =
      item.kind === 'onoff'
        ? onOffs.rows.find(({ id, status }) => id === item.id && (status === CAME) === item.good)
        : undefined;
    if (alarm !== undefined) showAlarm(item, alarm, levels, go, close);
    else if (onOff !== undefined) showOnOff(item, onOff, go, close);
    else close();
  }
}
