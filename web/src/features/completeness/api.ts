import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  CompletenessBucket as Bucket,
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
    // With the width: while another period is asked for the cells are still as wide as they were.
    queryFn: async ({ signal }) => ({
      ...(await call(sdk.getCompleteness({ path: { device_id: deviceId }, query, signal }))),
      width: query.bucket,
    }),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
}

/** What a list of gaps is asked for. */
export interface GapFilter<Why> extends Span {
  reason: Why | null;
  page: number;
  limit: number;
}

export interface Gaps<Gap> {
  rows: readonly Gap[];
  total: number;
}

/** Gaps are found and filled while one looks. */
export const gapList = { placeholderData: keepPreviousData, refetchInterval: REFETCH_MS } as const;

export function loadGaps(
  deviceId: number,
  { start_ms, end_ms, reason, page, limit }: GapFilter<Reason>,
  signal: AbortSignal,
): Promise<Gaps<GapEntry>> {
  const query = { from_ms: start_ms, to_ms: end_ms, reason: reason ?? undefined, page, limit };
  return call(sdk.listGaps({ path: { device_id: deviceId }, query, signal }));
}

/** slave: of this one only; null for all. */
export function loadCollectionGaps(
  deviceId: number,
  slave: string | null,
  { start_ms, end_ms, reason, page, limit }: GapFilter<MissedReason>,
  signal: AbortSignal,
): Promise<Gaps<CollectionGap>> {
  const query = {
    from_ms: start_ms,
    to_ms: end_ms,
    slave: slave ?? undefined,
    reason: reason ?? undefined,
    page,
    limit,
  };
  return call(sdk.listCollectionGaps({ path: { device_id: deviceId }, query, signal }));
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
