import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { Bucket, Completeness, GapEntry, GatewayCompleteness, OnOfflineEntry, Reason } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { Span } from '@/lib/time';
import { offsetMinutes, widthOf } from './strip';

export type { Bucket, Completeness, GapEntry, GatewayCompleteness, OnOfflineEntry, Reason };

/** Gaps are found and filled while one looks. */
const REFETCH_MS = 30_000;

export function completenessQuery(deviceId: number, { start_ms, end_ms }: Span) {
  const query = { from_ms: start_ms, to_ms: end_ms, bucket: widthOf({ start_ms, end_ms }), offset_min: offsetMinutes(start_ms) };
  return queryOptions({
    queryKey: ['completeness', deviceId, query],
    queryFn: ({ signal }) => call(sdk.getCompleteness({ path: { device_id: deviceId }, query, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
}

export interface GapFilter extends Span {
  reason: Reason | null;
  page: number;
  limit: number;
}

export function gapsQuery(deviceId: number, { start_ms, end_ms, reason, page, limit }: GapFilter) {
  return queryOptions({
    queryKey: ['gaps', deviceId, start_ms, end_ms, reason, page, limit],
    queryFn: ({ signal }) =>
      call(
        sdk.listGaps({
          path: { device_id: deviceId },
          query: { from_ms: start_ms, to_ms: end_ms, reason: reason ?? undefined, page, limit } as never,
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
}

export function allQuery({ start_ms, end_ms }: Span, page: number, limit: number, sort: string) {
  return queryOptions({
    queryKey: ['completeness', 'all', start_ms, end_ms, page, limit, sort],
    queryFn: ({ signal }) =>
      call(sdk.listCompleteness({ query: { from_ms: start_ms, to_ms: end_ms, page, limit, sort }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
}
