import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { DataSource, HistoryExportBody, Job, Series, Spans } from '@/api/generated/types.gen';
import { call, callBytes } from '@/api/http';
import { decodePacked } from '@/charts/packed';
import type { PackedHistory } from '@/charts/packed';
import { deviceTitle } from '@/lib/deviceTitle';

export type { DataSource, HistoryExportBody, Job, Series, Spans };

const SOURCES_STALE_MS = 60_000;
const MAX_CHOICES = 20;

export function sourcesQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['sources', deviceId],
    queryFn: async ({ signal }) => (await call(sdk.listDataSources({ query: { device_id: deviceId }, signal }))).rows,
    staleTime: SOURCES_STALE_MS,
  });
}

export function deviceTitleQuery(id: number) {
  return queryOptions({
    queryKey: ['device', id, 'title'],
    queryFn: async ({ signal }): Promise<string> => {
      return deviceTitle(await call(sdk.getDevice({ path: { device_id: id }, signal })));
    },
    staleTime: SOURCES_STALE_MS,
  });
}

/** The gateway of a user who has one alone; null for everybody else. */
export const onlyDeviceQuery = queryOptions({
  queryKey: ['devices', 'only'],
  queryFn: async ({ signal }): Promise<number | null> => {
    const { rows, total } = await call(sdk.listDevices({ query: { page: 1, limit: 1 }, signal }));
    return total === 1 ? (rows[0]?.id ?? null) : null;
  },
  staleTime: SOURCES_STALE_MS,
  meta: { errorInPlace: true },
});

const MAX_RESULTS = 10;

/** The points of any gateway that fit these words best. */
export function pointSearchQuery(words: string) {
  return queryOptions({
    queryKey: ['search', 'points', words],
    queryFn: async ({ signal }) =>
      (await call(sdk.searchEverything({ query: { q: words, limit: MAX_RESULTS }, signal }))).points,
    staleTime: SOURCES_STALE_MS,
    meta: { errorInPlace: true },
  });
}

export type { PackedHistory };

/** For a chart of so many pixels: every sample, or at most four a pixel of each point. onShare: how much has come, 0 to 1. */
export function packedQuery(
  dsids: readonly number[],
  startMs: number,
  endMs: number,
  pixels: number,
  onShare?: (share: number) => void,
) {
  return queryOptions({
    queryKey: ['history', 'packed', dsids, startMs, endMs, pixels],
    queryFn: async ({ signal }): Promise<PackedHistory> => {
      onShare?.(0);
      const query = { dsids: dsids.join(','), start_ms: startMs, end_ms: endMs, pixels };
      return decodePacked(await callBytes(sdk.getPackedHistory({ query, signal, parseAs: 'stream' }), onShare));
    },
    enabled: dsids.length > 0 && startMs < endMs,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    structuralSharing: false,
  });
}

/** As a table: raw samples with texts and quality, or at most so many buckets of each point with mean, lowest and highest. */
export function historyQuery(dsids: readonly number[], startMs: number, endMs: number, points: number) {
  return queryOptions({
    queryKey: ['history', dsids, startMs, endMs, points],
    queryFn: ({ signal }) =>
      call(sdk.getHistory({ query: { dsids: dsids.join(','), start_ms: startMs, end_ms: endMs, points }, signal })),
    enabled: dsids.length > 0 && startMs < endMs,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
}

/** Times without a gateway or slave of these points, and alarms. */
export function spansQuery(dsids: readonly number[], startMs: number, endMs: number) {
  return queryOptions({
    queryKey: ['history', 'spans', dsids, startMs, endMs],
    queryFn: ({ signal }): Promise<Spans> =>
      call(sdk.getHistorySpans({ query: { dsids: dsids.join(','), start_ms: startMs, end_ms: endMs }, signal })),
    enabled: dsids.length > 0 && startMs < endMs,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    meta: { errorInPlace: true },
  });
}

/** Number of the gateway with a serial number; null when there is none. */
export function gatewayQuery(gatewayId: string) {
  return queryOptions({
    queryKey: ['devices', 'by-gateway', gatewayId],
    queryFn: async ({ signal }): Promise<number | null> => {
      const { rows } = await call(
        sdk.listDevices({ query: { search: gatewayId, page: 1, limit: MAX_CHOICES }, signal }),
      );
      return rows.find((row) => row.gateway_id === gatewayId)?.id ?? null;
    },
    enabled: gatewayId !== '',
    staleTime: SOURCES_STALE_MS,
  });
}

/** Ask for a file of the whole period; a job makes it. */
export function exportHistory(body: HistoryExportBody): Promise<Job> {
  return call(sdk.exportHistory({ body }));
}
