import * as sdk from '@/api/generated/sdk.gen';
import type { ImportPreview, ImportRow, ImportSheet, ImportState, Job, PageImportRow, SheetMapping } from '@/api/generated/types.gen';
import { call } from '@/api/http';

export type { ImportPreview, ImportRow, ImportSheet, ImportState, Job, SheetMapping };

export type Mode = ImportPreview['mode'];
export type RowKind = ImportRow['kind'];
export type SheetKind = ImportRow['sheet'];
type Language = 'zh' | 'en';

/** What rows of a preview are asked for; '' for all. */
export interface RowsAsked {
  kind: RowKind | '';
  sheet: SheetKind | '';
  page: number;
  limit: number;
}

/** Where an import is sent to. Another kind of import brings its own. */
export interface ImportEndpoints {
  template: (language: Language) => Promise<Blob>;
  upload: (file: File) => Promise<ImportState>;
  state: (id: string) => Promise<ImportState>;
  preview: (id: string, sheets: SheetMapping[], mode: Mode) => Promise<Job>;
  rows: (id: string, asked: RowsAsked, signal: AbortSignal) => Promise<PageImportRow>;
  errors: (id: string, language: Language) => Promise<Blob>;
  apply: (id: string, skipWrong: boolean) => Promise<Job>;
  discard: (id: string) => Promise<unknown>;
}

/** Gateways with their ports, slaves and points. */
export const deviceImport: ImportEndpoints = {
  template: (language) => blobOf(sdk.downloadImportTemplate({ query: { language }, parseAs: 'blob' })),
  upload: (file) => call(sdk.uploadImport({ query: { file_name: file.name }, body: { file } })),
  state: (id) => call(sdk.getImport({ path: { import_id: id } })),
  preview: (id, sheets, mode) => call(sdk.previewImport({ path: { import_id: id }, body: { sheets, mode } })),
  rows: (id, asked, signal) => call(sdk.listImportRows({ path: { import_id: id }, query: asked, signal })),
  errors: (id, language) => blobOf(sdk.getImportErrors({ path: { import_id: id }, query: { language }, parseAs: 'blob' })),
  apply: (id, skipWrong) => call(sdk.applyImport({ path: { import_id: id }, body: { skip_wrong: skipWrong } })),
  discard: (id) => call(sdk.deleteImport({ path: { import_id: id } })),
};

interface FileAnswer {
  data?: unknown;
  error?: unknown;
  response?: Response;
}

/** The file of an answer; a refusal is raised as every other. */
export async function blobOf(answer: Promise<FileAnswer>): Promise<Blob> {
  const { data, error, response } = await answer;
  if (data instanceof Blob) return data;
  await call(Promise.resolve({ error, response }) as Parameters<typeof call>[0]);
  throw new Error('the answer is no file');
}
