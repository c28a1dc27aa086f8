import * as sdk from '@/api/generated/sdk.gen';
import type { DataSource, ExchangeBody, ExchangePoint, ExchangeRow } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { ListRequest, Page } from '@/components/resource/resource';

export type { DataSource, ExchangeBody, ExchangePoint, ExchangeRow };

export const RULES = ['exchange'] as const;

export function loadRules({ filters, page, limit }: ListRequest, signal: AbortSignal): Promise<Page<ExchangeRow>> {
  return call(sdk.listExchangeRules({ query: { search: filters.search || undefined, page, limit }, signal }));
}

export function createRule(body: ExchangeBody): Promise<ExchangeRow> {
  return call(sdk.createExchangeRule({ body }));
}

export function changeRule(id: number, body: ExchangeBody): Promise<ExchangeRow> {
  return call(sdk.changeExchangeRule({ path: { rule_id: id }, body }));
}

export async function deleteRule(id: number): Promise<void> {
  await call(sdk.deleteExchangeRule({ path: { rule_id: id } }));
}

export async function loadPoints(device: string, signal: AbortSignal): Promise<readonly DataSource[]> {
  return (await call(sdk.listDataSources({ query: { device_id: Number(device) }, signal }))).rows;
}
