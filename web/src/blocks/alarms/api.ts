import { queryOptions } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { SuppressionRow } from '@/api/generated/types.gen';
import { call } from '@/api/http';

export type { SuppressionRow };

export const SUPPRESSIONS = ['event', 'suppression'] as const;

/** The maintenance of a gateway that lasts, or null. */
export function maintenanceQuery(deviceId: number) {
  return queryOptions({
    queryKey: [...SUPPRESSIONS, 'maintenance', deviceId],
    queryFn: async ({ signal }): Promise<SuppressionRow | null> => {
      const query = { kind: 'maintenance', device_id: deviceId, limit: 1 } as const;
      return (await call(sdk.listSuppressions({ query, signal }))).rows[0] ?? null;
    },
    meta: { errorInPlace: true },
  });
}

export function beginMaintenance(deviceId: number, duration_s: number, reason: string): Promise<SuppressionRow> {
  return call(sdk.beginMaintenance({ path: { device_id: deviceId }, body: { duration_s, reason } }));
}

/** Every page that says what is quiet asks again: alarms, triggers, the landing page. */
export function refreshQuiet(cache: QueryClient): void {
  for (const queryKey of [['event'], ['trigger'], ['overview']]) void cache.invalidateQueries({ queryKey });
}

export async function endSuppression(id: number): Promise<void> {
  await call(sdk.endSuppression({ path: { suppression_id: id } }));
}
