import { ApiError } from '@/api/errors';
import * as sdk from '@/api/generated/sdk.gen';
import type { ExportBody } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import { datedName, saveBlob } from '@/components/clipboard';
import { blobOf } from './endpoints';

export type Exported = Omit<ExportBody, 'language'>;

type Query = NonNullable<Parameters<typeof sdk.exportDevices>[0]>['query'];

/** Of a file that a browser waits for. */
const MAX_DIRECT = 100;

/** What the button asks for: a few gateways at once, more of them as a job. Returns the job's number, or null. */
export async function exportDevices(
  wanted: Exported,
  count: number | undefined,
  language: 'zh' | 'en',
  what: string,
): Promise<number | null> {
  const { ids, ...query } = wanted;
  if ((ids === undefined || ids === null) && (count ?? 0) <= MAX_DIRECT) {
    try {
      const request = {
        ...(Object.fromEntries(Object.entries(query).filter(([, value]) => value !== null)) as Query),
        language,
      };
      saveBlob(datedName(what, 'xlsx'), await blobOf(sdk.exportDevices({ query: request, parseAs: 'blob' })));
      return null;
    } catch (error) {
      if (!(error instanceof ApiError) || error.facts.reason !== 'export.too_many') throw error;
    }
  }
  return (await call(sdk.beginDeviceExport({ body: { ...wanted, language } }))).id;
}
