import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { gathered, onAlarm, onOnOff, onResume, onUnread } from '@/lib/live';
import { unreadQuery } from '../api';
import type { Unread } from '../api';

const NONE: Unread = { alarm: 0, onoffline: 0 };
/** Pushes of one moment change the badge once: in a flood there are hundreds a second. */
const COUNT_MS = 100;

/** Unread events: pushes count at once, the cloud's own count follows while somebody looks. */
export function useUnread(): Unread {
  const cache = useQueryClient();
  const { data = NONE } = useQuery(unreadQuery);
  useEffect(() => {
    const { ask, stop } = gathered(() => void cache.invalidateQueries(unreadQuery));
    let came = { ...NONE };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const add = (): void => {
      timer = undefined;
      const { alarm, onoffline } = came;
      came = { ...NONE };
      cache.setQueryData(
        unreadQuery.queryKey,
        (known) => known && { alarm: known.alarm + alarm, onoffline: known.onoffline + onoffline },
      );
    };
    const count = (kind: keyof Unread, many = 1): void => {
      came[kind] += many;
      timer ??= setTimeout(add, COUNT_MS);
      ask();
    };
    const leave = [
      onAlarm(({ event, count: many }) => (event === 'new' ? count('alarm', many) : ask())),
      onOnOff(() => count('onoffline')),
      onUnread(({ alarm, onoffline }) => void cache.setQueryData(unreadQuery.queryKey, { alarm, onoffline })),
      onResume(ask),
      stop,
    ];
    return () => {
      clearTimeout(timer);
      for (const each of leave) each();
    };
  }, [cache]);
  return data;
}
