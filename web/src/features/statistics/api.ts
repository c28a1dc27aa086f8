import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { DayStatistics, DeviceStatistics, StatisticalReport, Totals } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { ListRequest } from '@/components/resource/resource';
import type { Span } from '@/lib/time';

export type { DayStatistics, DeviceStatistics, StatisticalReport, Totals };

export const STATISTICS = ['statistics'] as const;

/** Minutes east of UTC of this browser at a moment. */
function offsetAt(ms: number): number {
  return -new Date(ms).getTimezoneOffset();
}

function queryOf(span: Span, search: string | undefined, sort?: string) {
  return {
    starttime: span.start_ms,
    endtime: span.end_ms,
    offset_min: offsetAt(span.end_ms),
    search: search || undefined,
    sort,
  };
}

export function loadReport(
  { span, filters, sortBy, page, limit }: ListRequest,
  signal: AbortSignal,
): Promise<StatisticalReport> {
  return call(sdk.getStatisticalReport({ query: { ...queryOf(span, filters.search, sortBy), page, limit }, signal }));
}

/** Totals and days of all gateways; of the rows only one. */
export function totalQuery(span: Span, search: string | undefined) {
  return queryOptions({
    queryKey: [...STATISTICS, 'whole', span, search ?? ''],
    queryFn: ({ signal }): Promise<StatisticalReport> =>
      call(sdk.getStatisticalReport({ query: { ...queryOf(span, search), page: 1, limit: 1 }, signal })),
    placeholderData: keepPreviousData,
  });
}

export async function exportReport({ span, filters, sortBy }: ListRequest, language: 'zh' | 'en'): Promise<Blob> {
  const { data, error, response } = await sdk.exportStatisticalReport({
    query: { ...queryOf(span, filters.search, sortBy), language },
    parseAs: 'blob',
  });
  if ((data as unknown) instanceof Blob) return data as unknown as Blob;
  await call(Promise.resolve({ error, response }));
  throw new Error('the export is no file');
}
