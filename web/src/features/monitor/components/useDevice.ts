import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLink } from '@/lib/live';
import type { LastValue } from '@/lib/quality';
import { useTab } from '@/lib/tab';
import { deviceQuery, lastValuesQuery, POLL_WITHOUT_LINK_MS, sourcesQuery } from '../api';
import type { DataSource, DeviceDetail } from '../api';

/** The device of this page. The page has loaded it before any of its tabs is drawn. */
export function useDevice(): DeviceDetail {
  const { search } = useTab();
  const { data } = useQuery(deviceQuery(Number(search.device_id)));
  if (data === undefined) throw new Error('useDevice: outside of a loaded device');
  return data;
}

interface Points {
  sources: readonly DataSource[];
  last: ReadonlyMap<number, LastValue>;
  isPending: boolean;
  error: unknown;
  retry: () => void;
}

/** Points of the device with the values to begin with; while there is no live connection they are polled. */
export function usePoints(): Points {
  const { id } = useDevice();
  const live = useLink((link) => link.phase === 'live');
  const sources = useQuery(sourcesQuery(id));
  const values = useQuery({ ...lastValuesQuery(id), refetchInterval: live ? false : POLL_WITHOUT_LINK_MS });
  const last = useMemo(
    () =>
      new Map(
        (values.data ?? []).map((row) => [
          row.dsid,
          { t_ms: row.t_ms, value: row.value ?? null, quality: row.quality, changed_ms: row.changed_ms ?? null },
        ]),
      ),
    [values.data],
  );
  return {
    sources: sources.data ?? [],
    last,
    isPending: sources.isPending || values.isPending,
    error: sources.data === undefined ? sources.error : null,
    retry: () => {
      void sources.refetch();
      void values.refetch();
    },
  };
}
