import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { TargetRow, GatewayTargetRow, ListTargetsData, RefusedRecord } from '@/api/generated/types.gen';
import { call } from '@/api/http';

export type { TargetRow, GatewayTargetRow, RefusedRecord };
export type Condition = NonNullable<NonNullable<ListTargetsData['query']>['condition']>;

/** Gateways report every 30 s. */
const REFETCH_MS = 15_000;

export function deviceTargetsQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['targets', 'device', deviceId],
    queryFn: ({ signal }) => call(sdk.listDeviceTargets({ path: { device_id: deviceId }, signal })),
    refetchInterval: REFETCH_MS,
  });
}

export interface TargetFilter {
  condition: Condition | undefined;
  search: string | undefined;
  page: number;
  limit: number;
}

export function loadTargets(
  query: TargetFilter,
  signal: AbortSignal,
): Promise<{ rows: GatewayTargetRow[]; total: number }> {
  return call(sdk.listTargets({ query, signal }));
}
