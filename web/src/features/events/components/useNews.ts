import { useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { ApiError } from '@/api/errors';
import { isHidden, onAlarm, onOnOff, onResume, onShown } from '@/lib/live';
import { useGo } from '@/lib/navigation';
import { serverNow } from '@/lib/serverClock';
import { playTone } from '@/lib/sounds';
import { levelsQuery, newestAlarms, newestOnOffs } from '../api';
import { isRecovery } from '../handling';
import { NEW_SINCE_MS, NewsDesk, newsStart } from '../news';
import type { NewsItem } from '../news';
import type { Notifications } from '../settings';
import { hideToast, showAlarm, showOnOff, showTogether } from './toasts';
import type { Follow } from './toasts';

/** Most rows that a look for what is new brings. */
const MOST_NEW = 100;
const CAME = 1;

const ofAlarm = (id: number, at: number, type: number): NewsItem => ({ kind: 'alarm', id, at, good: isRecovery(type) });
const ofOnOff = (id: number, at: number, status: number): NewsItem => ({
  kind: 'onoff',
  id,
  at,
  good: status === CAME,
});

/** Toasts and tones for what happens from now on, as the user set them. */
export function useNews(settings: Notifications): void {
  const cache = useQueryClient();
  const go = useGo();
  const latest = useRef(settings);
  useEffect(() => {
    latest.current = settings;
  }, [settings]);
  useEffect(() => {
    const desk: NewsDesk = new NewsDesk({
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
      onAlarm(({ event, id, at = 0, alarm_type = 0 }) => event === 'new' && desk.take(ofAlarm(id, at, alarm_type))),
      onOnOff(({ id, at, status }) => desk.take(ofOnOff(id, at, status))),
      onResume((lostAt) => {
        missedFrom = Math.min(missedFrom ?? lostAt, lostAt);
        catchUp();
      }),
      onShown(() => {
        catchUp();
        desk.shown();
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
async function missed({ alarm, onoff }: Notifications, from: number): Promise<NewsItem[]> {
  const [alarms, onOffs] = await Promise.all([
    alarm ? newestAlarms(1, MOST_NEW, undefined, from).catch(unless(NONE)) : NONE,
    onoff ? newestOnOffs(1, MOST_NEW, undefined, from).catch(unless(NONE)) : NONE,
  ]);
  return [
    ...alarms.rows.map(({ id, at, alarm_type }) => ofAlarm(id, at, alarm_type)),
    ...onOffs.rows.map(({ id, at, status }) => ofOnOff(id, at, status)),
  ];
}

/** Toasts with the rows of a few events; only a number when they cannot be had, and nothing for what is gone again. */
async function showRows(
  cache: QueryClient,
  items: readonly NewsItem[],
  go: Follow,
  onClose: (item: NewsItem) => void,
): Promise<void> {
  const from = newsStart(serverNow(), items);
  const of = (kind: NewsItem['kind']): readonly NewsItem[] => items.filter((item) => item.kind === kind);
  const [alarms, onOffs, levels] = await Promise.all([
    of('alarm').length > 0 ? newestAlarms(1, MOST_NEW, undefined, from).catch(unless(null)) : NONE,
    of('onoff').length > 0 ? newestOnOffs(1, MOST_NEW, undefined, from).catch(unless(null)) : NONE,
    cache.ensureQueryData(levelsQuery).catch(unless([])),
  ]);
  if (alarms === null || onOffs === null) {
    showTogether({ alarm: of('alarm').length, onoff: of('onoff').length }, go, () => items.forEach(onClose));
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
