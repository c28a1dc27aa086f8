import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  SimCardBody as CardBody,
  SimCardDetail as CardDetail,
  SimCardFields as CardFields,
  SimCardRow as CardRow,
  SimCardFaultyRow as FaultyRow,
  UsageForecast as Forecast,
  SimCardImportPreview as ImportPreview,
  SimCardImportResult as ImportResult,
  SimCardRangeBody as RangeBody,
  SimCardRangePreview as RangePreview,
  SimCardRangeResult as RangeResult,
  UsageDay,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import { blobOf } from '@/blocks/import/endpoints';
import type { ListRequest, Page } from '@/components/resource/resource';

export type { CardBody, CardDetail, CardFields, CardRow, FaultyRow, Forecast, ImportPreview, ImportResult, UsageDay };
export type { RangeBody, RangePreview, RangeResult };

export const OPERATORS = ['cmcc', 'cucc', 'ctcc', 'cbn', 'other'] as const;
export const STATUSES = ['stock', 'test', 'silent', 'active', 'suspended', 'cancelled'] as const;
export const EXPIRES_WITHIN_DAYS = [0, 30, 60, 90] as const;
export const USAGE_DAYS = 60;

export const CARDS = ['simCard'] as const;

type Filters = Readonly<Record<string, string>>;

/** Filters of the address as the API takes them; what it would not take is left out. */
export function wantedOf(filters: Filters): NonNullable<Parameters<typeof sdk.listSimCards>[0]>['query'] {
  const days = EXPIRES_WITHIN_DAYS.find((each) => String(each) === filters.expires);
  return {
    search: filters.search || undefined,
    operator: OPERATORS.find((each) => each === filters.operator),
    status: STATUSES.find((each) => each === filters.status),
    expires_within: days,
    bound: filters.place === 'bound' ? true : filters.place === 'unbound' ? false : undefined,
    moved: filters.place === 'moved' ? true : undefined,
  };
}

const sortOf = (sortBy: string | undefined): 'iccid' | 'expires_on' =>
  sortBy === 'expires_on' ? 'expires_on' : 'iccid';

export function loadCards({ filters, sortBy, page, limit }: ListRequest, signal: AbortSignal): Promise<Page<CardRow>> {
  return call(sdk.listSimCards({ query: { ...wantedOf(filters), sort: sortOf(sortBy), page, limit }, signal }));
}

export function exportCards({ filters, sortBy }: ListRequest, language: string): Promise<Blob> {
  const query = { ...wantedOf(filters), sort: sortOf(sortBy), language: language === 'zh' ? 'zh' : 'en' } as const;
  return blobOf(sdk.exportSimCards({ query, parseAs: 'blob' }));
}

export function loadTemplate(language: string): Promise<Blob> {
  const query = { language: language === 'zh' ? 'zh' : 'en' } as const;
  return blobOf(sdk.downloadSimCardTemplate({ query, parseAs: 'blob' }));
}

export function cardQuery(id: number) {
  return queryOptions({
    queryKey: [...CARDS, id],
    queryFn: ({ signal }): Promise<CardDetail> => call(sdk.getSimCard({ path: { sim_card_id: id }, signal })),
    meta: { errorInPlace: true },
  });
}

export function usageQuery(id: number) {
  return queryOptions({
    queryKey: [...CARDS, id, 'usage'],
    queryFn: async ({ signal }): Promise<readonly UsageDay[]> =>
      (await call(sdk.getSimCardUsage({ path: { sim_card_id: id }, query: { days: USAGE_DAYS }, signal }))).days,
    meta: { errorInPlace: true },
  });
}

export const createCard = (body: CardBody): Promise<CardRow> => call(sdk.createSimCard({ body }));

export const changeCard = (id: number, body: CardBody): Promise<CardRow> =>
  call(sdk.changeSimCard({ path: { sim_card_id: id }, body }));

export async function deleteCard(id: number): Promise<void> {
  await call(sdk.deleteSimCard({ path: { sim_card_id: id } }));
}

export const bindCard = (id: number, deviceId: number | null): Promise<CardRow> =>
  call(sdk.bindSimCard({ path: { sim_card_id: id }, body: { device_id: deviceId } }));

export const previewRange = (body: RangeBody): Promise<RangePreview> => call(sdk.previewSimCardRange({ body }));

export const addRange = (body: RangeBody): Promise<RangeResult> => call(sdk.addSimCardRange({ body }));

export const previewImport = (file: File): Promise<ImportPreview> =>
  call(sdk.previewSimCardImport({ query: { file_name: file.name }, body: { file } }));

export const importCards = (file: File, digest: string): Promise<ImportResult> =>
  call(sdk.importSimCards({ query: { file_name: file.name, digest }, body: { file } }));
