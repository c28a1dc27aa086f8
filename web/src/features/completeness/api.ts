import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  Bucket,
  Collected,
  Collection,
  CollectionGap,
  Completeness,
  GapEntry,
  GatewayCompleteness,
  MissedReason,
  OnOfflineEntry,
  GapReason as Reason,
  SlaveCollection,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { Span } from '@/lib/time';
import { offsetMinutes, widthOf } from './strip';

export type {
  Bucket,
  Collected,
  Collection,
  CollectionGap,
  Completeness,
  GapEntry,
  GatewayCompleteness,
  MissedReason,
  OnOfflineEntry,
  Reason,
  SlaveCollection,
};

/** What one question about slaves may cover. */
export const LONGEST_COLLECTION_MS = 30 * 86_400_000;

/** Gaps are found and filled while one looks. */
const REFETCH_MS = 30_000;

export function completenessQuery(deviceId: number, { start_ms, end_ms }: Span) {
  const query = {
    from_ms: start_ms,
    to_ms: end_ms,
    bucket: widthOf({ start_ms, end_ms }),
    offset_min: offsetMinutes(start_ms),
  };
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

export function collectionQuery(deviceId: number, { start_ms, end_ms }: Span) {
  return queryOptions({
    queryKey: ['collection', deviceId, start_ms, end_ms],
    queryFn: ({ signal }) =>
      call(sdk.getCollection({ path: { device_id: deviceId }, query: { from_ms: start_ms, to_ms: end_ms }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
}

export interface CollectionGapFilter extends Span {
  slave: string | null;
  reason: MissedReason | null;
  page: number;
  limit: number;
}

export function collectionGapsQuery(
  deviceId: number,
  { start_ms, end_ms, slave, reason, page, limit }: CollectionGapFilter,
) {
  return queryOptions({
    queryKey: ['collection', 'gaps', deviceId, start_ms, end_ms, slave, reason, page, limit],
    queryFn: ({ signal }) =>
      call(
        sdk.listCollectionGaps({
          path: { device_id: deviceId },
          query: {
            from_ms: start_ms,
            to_ms: end_ms,
            slave: slave ?? undefined,
            reason: reason ?? undefined,
            page,
            limit,
          } as never,
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
}
