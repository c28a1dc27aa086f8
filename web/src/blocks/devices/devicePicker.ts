import * as sdk from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import { deviceTitle } from '@/lib/deviceTitle';
import type { Choice } from '@/components/AsyncPicker';

const MAX_RESULTS = 20;

/** Gateways by title or serial number, for an AsyncPicker; a choice's value is the gateway's number. */
export async function findDevices(search: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const { rows } = await call(
    sdk.listDevices({ query: { search: search || undefined, page: 1, limit: MAX_RESULTS }, signal }),
  );
  return rows.map((row) => ({ value: String(row.id), label: deviceTitle(row), note: row.gateway_id }));
}
