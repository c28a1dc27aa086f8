import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import {
  gathered,
  onAlarm,
  onConfiguration,
  onDeployment,
  onDevice,
  onOnOff,
  onResume,
  useLink,
  watchDevice,
} from '@/lib/live';
import { OVERVIEW, overviewQuery } from './api';
import type { Overview } from './api';
import { Changes, waitMs } from './changes';

/** The page's answer, asked for again when something is pushed that changes it. */
export function useOverview(): UseQueryResult<Overview> {
  const client = useQueryClient();
  const isLive = useLink((link) => link.phase === 'live');
  const query = useQuery(overviewQuery(isLive));
  const { data } = query;
  const [changes] = useState(() => new Changes());
  useEffect(() => {
    if (data !== undefined) changes.answered(data.watch);
  }, [changes, data]);

  const ids = (data?.watch ?? []).map(({ device_id }) => device_id).join(',');
  useEffect(() => {
    const leave = ids === '' ? [] : ids.split(',').map((id) => watchDevice(Number(id)));
    return () => {
      for (const each of leave) each();
    };
  }, [ids]);

  const pace = useRef({ requestedAtMs: 0, tookMs: 0 });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const ask = async (): Promise<void> => {
      timer = null;
      const requestedAtMs = Date.now();
      pace.current = { ...pace.current, requestedAtMs };
      await client.invalidateQueries({ queryKey: OVERVIEW });
      pace.current = { requestedAtMs, tookMs: Date.now() - requestedAtMs };
    };
    const { ask: gather, stop } = gathered(() => {
      timer ??= setTimeout(() => void ask(), waitMs(Date.now(), pace.current.requestedAtMs, pace.current.tookMs));
    });
    const leave = [
      onDevice((push) => {
        if (changes.isChange(push)) gather();
      }),
      onAlarm(gather),
      onOnOff(gather),
      onDeployment(gather),
      onConfiguration(gather),
      onResume(gather),
      stop,
    ];
    return () => {
      for (const each of leave) each();
      if (timer !== null) clearTimeout(timer);
    };
  }, [client, changes]);
  return query;
}
