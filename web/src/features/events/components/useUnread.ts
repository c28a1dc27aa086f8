import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { gathered, onAlarm, onOnOff, onResume, onUnread } from '@/lib/live';
import { unreadQuery } from '../api';
import type { Unread } from '../api';

const NONE: Unread = { alarm: 0, onoffline: 0 };

/** Unread events: a push counts at once, the cloud's own count follows while somebody looks. */
export function useUnread(): Unread {
  const cache = useQueryClient();
  const { data = NONE } = useQuery(unreadQuery);
  useEffect(() => {
    const { ask, stop } = gathered(() => void cache.invalidateQueries(unreadQuery));
    const count = (kind: keyof Unread): void => {
      cache.setQueryData(unreadQuery.queryKey, (known) => known && { ...known, [kind]: known[kind] + 1 });
      ask();
    };
    const leave = [
      onAlarm(({ event }) => (event === 'new' ? count('alarm') : ask())),
      onOnOff(() => count('onoffline')),
      onUnread(({ alarm, onoffline }) => void cache.setQueryData(unreadQuery.queryKey, { alarm, onoffline })),
      onResume(ask),
      stop,
    ];
    return () => {
      for (const each of leave) each();
    };
  }, [cache]);
  return data;
}
