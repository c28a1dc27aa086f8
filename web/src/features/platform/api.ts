import { queryOptions } from '@tanstack/react-query';
import { getAuthList } from '@/api/account';
import * as sdk from '@/api/generated/sdk.gen';
import type { AuditRow, CustomizeRow, LevelUses, Looks, MapBase, MapBorders } from '@/api/generated/types.gen';
import { call } from '@/api/http';
import { getBrand, getPlatform, getQuickEntries } from '@/api/platform';
import type { ListRequest, Page } from '@/components/resource/resource';
import type { AlarmLevel } from '@/lib/alarmTypes';
import { domainOf, useBrand } from '@/lib/brand';
import type { QuickEntry } from '@/lib/quickEntries';
import type { CloudFlags } from '@/lib/screens';
import { session } from '@/lib/session';
import type { UploadKind } from '@/lib/uploads';
import { AUDIT_KINDS } from './operations';

export type { AuditRow, CustomizeRow, LevelUses };

/** Places outside of the portal, as the cloud keeps them. */
export type LinkOptions = { ota: string; flow: string; gis: string; screen: string; ota_hosts: string[] };

/** The address of an uploaded picture. */
export async function uploadPicture(kind: UploadKind, file: File): Promise<string> {
  return (await call(sdk.uploadFile({ query: { kind }, body: { file } }))).url;
}

export function loadCustomize({ page, limit }: ListRequest, signal: AbortSignal): Promise<Page<CustomizeRow>> {
  return call(sdk.listCustomize({ query: { page, limit }, signal }));
}

/** The looks of a host name as a whole; they show here at once when they are this host's. */
export async function putCustomize(domain: string, looks: Looks): Promise<void> {
  await call(sdk.putCustomize({ path: { domain }, body: looks }));
  await refreshBrand();
}

export async function deleteCustomize(domain: string): Promise<void> {
  await call(sdk.deleteCustomize({ path: { domain } }));
  await refreshBrand();
}

async function refreshBrand(): Promise<void> {
  useBrand.setState(await getBrand(domainOf(window.location.hostname)));
}

/** The top bar's query of the same entries. */
export const quickEntriesQuery = queryOptions({
  queryKey: ['option', 'user_config'],
  queryFn: getQuickEntries,
  staleTime: Infinity,
});

/** In this order. */
export async function putQuickEntries(entries: readonly QuickEntry[]): Promise<void> {
  const value = entries.map(({ url, text, icon, newWindow }, position) => ({ url, text, icon, newWindow, position }));
  await call(sdk.putUserOption({ body: { name: 'user_config', value } }));
}

export const cloudConfigQuery = queryOptions({
  queryKey: ['dict', 'CDCF'],
  queryFn: async ({ signal }) => ({
    ot: 0,
    rl: 0,
    ss: 0,
    rg: 0,
    announced: 0,
    ...(await call(sdk.getDictionary({ query: { key: 'CDCF' }, signal }))),
  }),
});

export async function putCloudConfig(value: CloudFlags): Promise<void> {
  await call(sdk.putDictionary({ body: { key: 'CDCF', value } }));
  await refreshAccess();
}

/** Menus and guards follow a changed switch or address without a new sign-in. */
async function refreshAccess(): Promise<void> {
  const [platform, permissions] = await Promise.all([getPlatform(), getAuthList()]);
  session.setState({ platform, permissions });
}

export const alarmLevelsQuery = queryOptions({
  queryKey: ['option', 'alarm_levels'],
  queryFn: async ({ signal }) =>
    (await call(sdk.getOption({ query: { name: 'alarm_levels' }, signal }))).value as AlarmLevel[],
});

/** How many rules and standing alarms use the levels of these numbers, of those that any does. */
export function levelUsesQuery(ids: readonly number[]) {
  return queryOptions({
    queryKey: ['option', 'alarm_levels', 'uses', ids],
    queryFn: ({ signal }) => call(sdk.listAlarmLevelUses({ query: { level: [...ids] }, signal })),
    enabled: ids.length > 0,
    meta: { errorInPlace: true },
  });
}

export async function putAlarmLevels(value: readonly AlarmLevel[]): Promise<void> {
  await call(sdk.putOption({ body: { name: 'alarm_levels', value: [...value] } }));
}

export async function putGatewayBrand(value: string): Promise<void> {
  await call(sdk.putOption({ body: { name: 'gateway_brand', value } }));
}

export const linksQuery = queryOptions({
  queryKey: ['option', 'links'],
  queryFn: async ({ signal }) => (await call(sdk.getOption({ query: { name: 'links' }, signal }))).value as LinkOptions,
});

export async function putLinks(value: LinkOptions): Promise<void> {
  await call(sdk.putOption({ body: { name: 'links', value } }));
  await refreshAccess();
}

/** Files of the data folder that can be the map's ground. */
export const mapFilesQuery = queryOptions({
  queryKey: ['map', 'files'],
  queryFn: ({ signal }) => call(sdk.listMapFiles({ signal })),
});

export async function putMapBase(value: MapBase): Promise<void> {
  await call(sdk.putOption({ body: { name: 'map_base', value } }));
}

export async function putMapBorders(value: MapBorders): Promise<void> {
  await call(sdk.putOption({ body: { name: 'map_borders', value } }));
}

const OUTCOMES = ['succeeded', 'refused', 'failed', 'unknown'] as const;

function auditQuery({ filters, span }: ListRequest) {
  const { user, thing, operation } = filters;
  const kind = AUDIT_KINDS.find((each) => each === filters.kind);
  const outcome = OUTCOMES.find((each) => each === filters.outcome);
  return {
    user: user || undefined,
    thing: thing || undefined,
    operation: operation || undefined,
    kind,
    outcome,
    ...span,
  };
}

export function loadAudit(request: ListRequest, signal: AbortSignal): Promise<Page<AuditRow>> {
  return call(sdk.listAudit({ query: { ...auditQuery(request), page: request.page, limit: request.limit }, signal }));
}

/** All rows that the filters leave, as CSV. */
export function exportAudit(request: ListRequest): Promise<Blob> {
  const file = sdk.exportAudit({ query: auditQuery(request), parseAs: 'blob' });
  // A file has no envelope: it is given one, so that refusals are opened as everywhere.
  return call<Blob>(
    file.then(({ data, error, response }) => ({
      data: data === undefined ? undefined : { code: 0, data: data as unknown as Blob },
      error,
      response,
    })),
  );
}
