import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { DeviceDetail, TraceRow, TraceState } from '@/api/generated/types.gen';
import { call } from '@/api/http';

export type { TraceRow, TraceState };
export type Gateway = DeviceDetail;

const RECORD_ROWS = 10;

export function gatewayQuery(id: number) {
  return queryOptions({
    queryKey: ['device', id],
    queryFn: ({ signal }): Promise<Gateway> => call(sdk.getDevice({ path: { device_id: id }, signal })),
    meta: { errorInPlace: true },
  });
}

/** Who traced the gateway last. */
export function recordQuery(id: number) {
  return queryOptions({
    queryKey: ['strace', id],
    queryFn: async ({ signal }): Promise<readonly TraceRow[]> =>
      (await call(sdk.listTraces({ query: { device_id: id, page: 1, limit: RECORD_ROWS }, signal }))).rows,
    meta: { errorInPlace: true },
  });
}

export const startTrace = (id: number): Promise<TraceState> => call(sdk.startTrace({ path: { device_id: id } }));

export const renewTrace = (id: number, trace: string): Promise<TraceState> =>
  call(sdk.renewTrace({ path: { device_id: id, trace_id: trace } }));

export async function stopTrace(id: number, trace: string): Promise<void> {
  await call(sdk.stopTrace({ path: { device_id: id, trace_id: trace } }));
}
