import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type { Job, PreviewRow, RowPreview, TemplatePreview, TemplateRow } from '@/api/generated/types.gen';
import { call } from '@/api/http';

export type { PreviewRow, RowPreview };
export type Template = Pick<TemplateRow, 'template_id' | 'title' | 'newest' | 'category'>;

/** Gateways that get a template, also those that do not use it yet. slave: of each of them, for a point template. */
export interface Targets {
  deviceIds: readonly number[];
  slave: string;
}

/** A version of a template onto drafts; targets null: onto those that use it. */
export interface TemplateApplication {
  templateId: number;
  version: number;
  keep: boolean;
  targets: Targets | null;
}

export const templatesKey = ['template'] as const;

/** Gateways of one request of a preview; each needs its whole document. */
const LOOKED_AT = 50;
/** Gateways of one page when those of a project are listed. */
const LISTED = 100;

const bodyOf = ({ version, keep, targets }: TemplateApplication) => ({
  version,
  keep_overrides: keep,
  others: targets !== null,
  slave: targets === null || targets.slave === '' ? null : targets.slave,
});
const keyOf = ({ templateId, version, keep, targets }: TemplateApplication) =>
  [...templatesKey, templateId, 'preview', version, keep, targets] as const;

/** What becomes of all these gateways, asked for part by part. */
export function previewQuery(application: TemplateApplication) {
  const body = {
    ...bodyOf(application),
    device_ids: application.targets === null ? null : [...application.targets.deviceIds],
    limit: LOOKED_AT,
  };
  return infiniteQueryOptions({
    queryKey: keyOf(application),
    queryFn: ({ pageParam, signal }) =>
      call(
        sdk.previewTemplate({
          path: { template_id: application.templateId },
          body: { ...body, page: pageParam },
          signal,
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last: TemplatePreview, _pages, page: number) =>
      page * LOOKED_AT < last.total ? page + 1 : undefined,
    gcTime: 0,
  });
}

/** What a version does to one gateway, row by row. */
export function rowPreviewQuery(application: TemplateApplication, deviceId: number, page: number, limit: number) {
  return queryOptions({
    queryKey: [...keyOf(application), deviceId, page, limit],
    queryFn: ({ signal }) =>
      call(
        sdk.previewTemplateRows({
          path: { template_id: application.templateId },
          body: { ...bodyOf(application), device_id: deviceId, page, limit },
          signal,
        }),
      ),
    gcTime: 0,
  });
}

export const applyTemplate = (application: TemplateApplication, deviceIds: readonly number[]): Promise<Job> =>
  call(
    sdk.applyTemplate({
      path: { template_id: application.templateId },
      body: { ...bodyOf(application), device_ids: [...deviceIds] },
    }),
  );

/** Gateways of a project and all below it, at most so many. */
export function devicesOfProject(projectId: string, max: number) {
  return queryOptions({
    queryKey: ['device', 'of', projectId, max],
    queryFn: async ({ signal }): Promise<readonly number[]> => {
      const numbers: number[] = [];
      for (let page = 1; numbers.length < max; page++) {
        const { rows, total } = await call(
          sdk.listDevices({ query: { project_id: Number(projectId), page, limit: LISTED }, signal }),
        );
        numbers.push(...rows.map(({ id }) => id));
        if (rows.length === 0 || numbers.length >= total) break;
      }
      return numbers.slice(0, max);
    },
    gcTime: 0,
  });
}

/** Templates with a version, by title. */
export function templatesQuery(category: Template['category']) {
  return queryOptions({
    queryKey: [...templatesKey, category],
    queryFn: async ({ signal }) => (await call(sdk.listTemplates({ query: { category }, signal }))).rows,
  });
}
