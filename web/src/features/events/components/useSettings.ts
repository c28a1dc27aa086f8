import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useMay } from '@/lib/session';
import { saveSettings, settingsQuery } from '../api';
import { allowed, DEFAULTS } from '../settings';
import type { Notifications } from '../settings';

export interface Settings {
  /** As the user set them. */
  chosen: Notifications;
  /** Of them what he may see. */
  active: Notifications;
  mayAlarms: boolean;
  mayOnOff: boolean;
  isLoaded: boolean;
  change: (change: Partial<Notifications>) => void;
}

export function useSettings(): Settings {
  const cache = useQueryClient();
  const mayAlarms = useMay('Event');
  const mayOnOff = useMay('DeviceMonitor_Online');
  const { data } = useQuery(settingsQuery);
  const chosen = data ?? DEFAULTS;
  const { mutate } = useMutation({
    mutationFn: saveSettings,
    // Changes made one right after the other are sent in their order, each whole.
    scope: { id: 'notifications' },
    onMutate: async (next) => {
      await cache.cancelQueries(settingsQuery);
      const before = cache.getQueryData(settingsQuery.queryKey);
      cache.setQueryData(settingsQuery.queryKey, next);
      return before;
    },
    onError: (_error, _next, before) => cache.setQueryData(settingsQuery.queryKey, before),
    onSettled: () => void cache.invalidateQueries(settingsQuery),
  });
  const active = useMemo(() => allowed(chosen, mayAlarms, mayOnOff), [chosen, mayAlarms, mayOnOff]);
  const change = (more: Partial<Notifications>): void =>
    mutate({ ...(cache.getQueryData(settingsQuery.queryKey) ?? DEFAULTS), ...more });
  return { chosen, active, mayAlarms, mayOnOff, isLoaded: data !== undefined, change };
}
