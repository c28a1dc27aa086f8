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

interface Step {
  before: Notifications | undefined;
  next: Notifications;
}

const SAVING = ['userOption', 'notifications', 'save'] as const;

export function useSettings(): Settings {
  const cache = useQueryClient();
  const mayAlarms = useMay('Event');
  const mayOnOff = useMay('DeviceMonitor_Online');
  const { data } = useQuery(settingsQuery);
  const chosen = data ?? DEFAULTS;
  const { mutate } = useMutation({
    mutationKey: SAVING,
    mutationFn: ({ next }: Step) => saveSettings(next),
    // Changes made one right after the other are sent in their order, each whole.
    scope: { id: 'notifications' },
    onError: (_error, { before }) => cache.setQueryData(settingsQuery.queryKey, before),
    onSettled: () => {
      if (cache.isMutating({ mutationKey: SAVING }) === 1) void cache.invalidateQueries(settingsQuery);
    },
  });
  const active = useMemo(() => allowed(chosen, mayAlarms, mayOnOff), [chosen, mayAlarms, mayOnOff]);
  const change = (more: Partial<Notifications>): void => {
    const before = cache.getQueryData(settingsQuery.queryKey);
    const next = { ...(before ?? DEFAULTS), ...more };
    void cache.cancelQueries(settingsQuery);
    cache.setQueryData(settingsQuery.queryKey, next);
    mutate({ before, next });
  };
  return { chosen, active, mayAlarms, mayOnOff, isLoaded: data !== undefined, change };
}
