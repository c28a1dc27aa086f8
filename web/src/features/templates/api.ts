import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  Applied,
  CreateTemplate,
  FormField,
  Override,
  ProtocolForm,
  TemplateFile,
  TemplateRow,
  TemplateSheetRow,
  TemplateSheets,
  TemplateVersionRow,
  UsageRow,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import { blobOf } from '@/blocks/import/endpoints';

export type {
  CreateTemplate,
  FormField,
  Override,
  ProtocolForm,
  TemplateFile,
  TemplateRow,
  TemplateSheetRow,
  TemplateSheets,
  TemplateVersionRow,
  UsageRow,
};
export type Category = TemplateRow['category'];
export type Content = Readonly<Record<string, unknown>>;

const KEY = 'template';

export const templatesKey = [KEY] as const;

export function nodesQuery(category: Category) {
  return queryOptions({
    queryKey: [KEY, category],
    queryFn: async ({ signal }) => (await call(sdk.listTemplates({ query: { category }, signal }))).rows,
  });
}

export const readyQuery = queryOptions({
  queryKey: [KEY, 'ready'],
  queryFn: async ({ signal }) => (await call(sdk.listReadyTemplates({ signal }))).rows,
  staleTime: Infinity,
});

export const protocolsQuery = queryOptions({
  queryKey: ['protocols'],
  queryFn: async ({ signal }) => (await call(sdk.listProtocols({ signal }))).rows,
  staleTime: Infinity,
});

/** A version never changes. */
export function versionQuery(templateId: number, number: number) {
  return queryOptions({
    queryKey: [KEY, templateId, 'version', number],
    queryFn: ({ signal }) => call(sdk.getTemplateVersion({ path: { template_id: templateId, number }, signal })),
    staleTime: Infinity,
  });
}

export function versionsQuery(templateId: number, page: number, limit: number) {
  return queryOptions({
    queryKey: [KEY, templateId, 'versions', page, limit],
    queryFn: ({ signal }) =>
      call(sdk.listTemplateVersions({ path: { template_id: templateId }, query: { page, limit }, signal })),
  });
}

export function usageQuery(templateId: number, page: number, limit: number) {
  return queryOptions({
    queryKey: [KEY, templateId, 'usage', page, limit],
    queryFn: ({ signal }) =>
      call(sdk.listTemplateUsage({ path: { template_id: templateId }, query: { page, limit }, signal })),
  });
}

/** What one slave, or a gateway (''), has otherwise than its template. */
export function overridesQuery(deviceId: number, slave: string, page: number, limit: number) {
  return queryOptions({
    queryKey: [KEY, 'overrides', deviceId, slave, page, limit],
    queryFn: ({ signal }) =>
      call(sdk.listTemplateOverrides({ path: { device_id: deviceId }, query: { slave, page, limit }, signal })),
  });
}

export const exportSheets = (templateId: number, number: number, language: 'zh' | 'en'): Promise<Blob> =>
  blobOf(sdk.exportTemplateSheets({ path: { template_id: templateId }, query: { number, language }, parseAs: 'blob' }));
export const compareSheets = (templateId: number, file: File): Promise<TemplateSheets> =>
  call(
    sdk.compareTemplateSheets({ path: { template_id: templateId }, query: { file_name: file.name }, body: { file } }),
  );

/** Slaves of a gateway to take a template from. */
export function slavesQuery(deviceId: number) {
  return queryOptions({
    queryKey: ['points', deviceId, 'slaves'],
    queryFn: ({ signal }) => call(sdk.listSlaves({ path: { device_id: deviceId }, signal })),
  });
}

export const createTemplate = (body: CreateTemplate): Promise<TemplateRow> => call(sdk.createTemplate({ body }));
export const importTemplate = (file: TemplateFile, parentId: number | null): Promise<TemplateRow> =>
  call(sdk.importTemplate({ body: { file, parent_id: parentId } }));
export const exportTemplate = (templateId: number): Promise<TemplateFile> =>
  call(sdk.exportTemplate({ path: { template_id: templateId } }));
export const changeTemplate = (
  templateId: number,
  body: { title?: string; remark?: string; shared?: boolean },
): Promise<TemplateRow> => call(sdk.changeTemplate({ path: { template_id: templateId }, body }));
export const copyTemplate = (templateId: number, title: string): Promise<TemplateRow> =>
  call(sdk.copyTemplate({ path: { template_id: templateId }, body: { title } }));
export const deleteTemplate = (templateId: number, detach: boolean): Promise<unknown> =>
  call(sdk.deleteTemplate({ path: { template_id: templateId }, query: { detach } }));
export const moveTemplate = (templateId: number, parentId: number | null, place?: number): Promise<TemplateRow> =>
  call(sdk.moveTemplate({ path: { template_id: templateId }, body: { parent_id: parentId, place } }));
export const saveVersion = (
  templateId: number,
  document: Content,
  base: number,
  note: string,
): Promise<TemplateVersionRow> =>
  call(sdk.saveTemplateVersion({ path: { template_id: templateId }, body: { document: { ...document }, base, note } }));
/** Into a draft that does not use it yet: all of a gateway template, or a point template into a slave. */
export const putTemplate = (node: TemplateRow, version: number, deviceId: number, slave: string): Promise<Applied> => {
  const path = { device_id: deviceId };
  if (node.category === 'gateway')
    return call(sdk.instantiateTemplate({ path, body: { gateway_template_id: node.template_id, version } }));
  return call(sdk.putPointTemplate({ path, body: { slave, point_template_id: node.template_id, version } }));
};
