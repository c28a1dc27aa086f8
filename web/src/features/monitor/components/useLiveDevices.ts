import { useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { onDevice, onResume, watchDevice } from '@/lib/live';
import { MONITORED } from '../api';
import type { DeviceDetail, DeviceRow } from '../api';

interface Page {
  rows: DeviceRow[];
  total: number;
}

/** A push carries a device's row; 'did' and 'type' are of the envelope. */
function rowOf(push: Record<string, unknown>): Partial<DeviceRow> {
  const { did: _did, type: _type, ...row } = push;
  return row as Partial<DeviceRow>;
}

/** Does the row tell that something has changed which it does not hold: the slaves one by one? */
export function isOther(before: DeviceRow, row: Partial<DeviceRow>): boolean {
  const code = row.presence?.code ?? before.presence.code;
  const online = row.slaves_online ?? before.slaves_online;
  const user = row.presence === undefined ? before.presence.arguments.user : row.presence.arguments.user;
  return code !== before.presence.code || online !== before.slaves_online || user !== before.presence.arguments.user;
}

/** Bring a device's row up to date wherever the monitor's lists show it. */
export function putRow(cache: QueryClient, id: number, row: Partial<DeviceRow>): void {
  cache.setQueriesData<Page>({ queryKey: MONITORED }, (page) =>
    page?.rows.some((known) => known.id === id)
      ? { ...page, rows: page.rows.map((known) => (known.id === id ? { ...known, ...row } : known)) }
      : page,
  );
}

/** Watch the devices on the screen and put what is pushed into the query cache. */
export function useLiveDevices(ids: readonly number[]): void {
  const cache = useQueryClient();
  const key = ids.join(',');
  useEffect(() => {
    const leave = key === '' ? [] : key.split(',').map((id) => watchDevice(Number(id)));
    return () => {
      for (const each of leave) each();
    };
  }, [key]);

  useEffect(() => {
    const stopPush = onDevice((push) => {
      const row = rowOf(push);
      putRow(cache, push.did, row);
      const before = cache.getQueryData<DeviceDetail>(['device', push.did]);
      cache.setQueryData<DeviceDetail>(['device', push.did], (known) => (known ? { ...known, ...row } : known));
      if (before !== undefined && isOther(before, row))
        void cache.invalidateQueries({ queryKey: ['device', push.did] });
    });
    const stopResume = onResume(() => {
      void cache.invalidateQueries({ queryKey: ['devices'] });
      void cache.invalidateQueries({ queryKey: ['device'] });
      void cache.invalidateQueries({ queryKey: ['lastdps'] });
    });
    return () => {
      stopPush();
      stopResume();
    };
  }, [cache]);
}
