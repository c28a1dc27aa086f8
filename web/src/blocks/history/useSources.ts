import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { deviceTitleQuery, sourcesQuery } from './api';
import type { DataSource } from './api';

export interface DeviceSource extends DataSource {
  deviceId: number;
  deviceTitle: string;
}

/** Data points of these gateways, with their gateway, as far as they have answered. */
export function useSources(devices: readonly number[]) {
  const sources = useQueries({ queries: devices.map((id) => sourcesQuery(id)) });
  const titles = useQueries({
    queries: devices.map((id) => ({ ...deviceTitleQuery(id), meta: { errorInPlace: true } })),
  });
  const failed = sources.find(({ error }) => error !== null);
  const isReady = sources.every(({ data }) => data !== undefined) && titles.every(({ isPending }) => !isPending);
  const mark = [
    ...sources.map(({ dataUpdatedAt }) => dataUpdatedAt),
    ...titles.map(({ dataUpdatedAt }) => dataUpdatedAt),
  ].join(' ');
  const all = useMemo(
    () =>
      devices.flatMap((deviceId, index) =>
        (sources[index]?.data ?? []).map((source): DeviceSource => ({
          ...source,
          deviceId,
          deviceTitle: titles[index]?.data ?? '',
        })),
      ),
    // The answers are new objects each time; mark says when they really are.
    // oxlint-disable-next-line react/exhaustive-deps
    [devices, mark],
  );
  return {
    sources: all,
    isLoading: !isReady,
    error: failed?.error ?? null,
    retry: () => sources.forEach((one) => void one.refetch()),
  };
}
