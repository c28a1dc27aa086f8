import * as sdk from '@/api/generated/sdk.gen';
import type {
  ImportPreview,
  ImportRow,
  ImportSheet,
  ImportState,
  Job,
  PageImportRow,
  RemoveDevices,
  SheetMapping,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { Choice } from '@/components/AsyncPicker';
import { projectChoices } from './mapping';
import type { RowKind, SheetKind } from './mapping';

export type { ImportPreview, ImportRow, ImportSheet, ImportState, Job, RemoveDevices, SheetMapping };

export type Mode = ImportPreview['mode'];
type Language = 'zh' | 'en';

/** What rows of a preview are asked for; '' for all. */
export interface RowsQuery {
  kind: RowKind | '';
  sheet: SheetKind | '';
  page: number;
  limit: number;
}

/** Where an import is sent to. Another kind of import brings its own. */
export interface ImportEndpoints {
  /** Of an import into one gateway. */
  deviceId?: number;
  template: (language: Language) => Promise<Blob>;
  upload: (file: File) => Promise<ImportState>;
  state: (id: string) => Promise<ImportState>;
  /** remove: gateways that the file does not name go too; null leaves them. */
  preview: (id: string, sheets: SheetMapping[], mode: Mode, remove: RemoveDevices | null) => Promise<Job>;
  rows: (id: string, query: RowsQuery, signal: AbortSignal) => Promise<PageImportRow>;
  errors: (id: string, language: Language) => Promise<Blob>;
  /** preview: the one that was looked at. removed: how many gateways go, as their user confirmed. */
  apply: (id: string, preview: string, skipWrong: boolean, removed: number) => Promise<Job>;
  discard: (id: string) => Promise<unknown>;
  /** Projects of which gateways may be removed; without it none is. */
  projects?: (search: string, signal: AbortSignal) => Promise<readonly Choice[]>;
}

/** Gateways with their ports, slaves and points. */
export const deviceImport: ImportEndpoints = {
  template: (language) => blobOf(sdk.downloadImportTemplate({ query: { language }, parseAs: 'blob' })),
  upload: (file) => call(sdk.uploadImport({ query: { file_name: file.name }, body: { file } })),
  state: (id) => call(sdk.getImport({ path: { import_id: id } })),
  preview: (id, sheets, mode, remove) =>
    call(sdk.previewImport({ path: { import_id: id }, body: { sheets, mode, remove_devices: remove } })),
  rows: (id, query, signal) => call(sdk.listImportRows({ path: { import_id: id }, query: query, signal })),
  errors: (id, language) =>
    blobOf(sdk.getImportErrors({ path: { import_id: id }, query: { language }, parseAs: 'blob' })),
  apply: (id, preview, skipWrong, removed) =>
    call(
      sdk.applyImport({ path: { import_id: id }, body: { preview, skip_wrong: skipWrong, remove_devices: removed } }),
    ),
  discard: (id) => call(sdk.deleteImport({ path: { import_id: id } })),
  projects: findProjects,
};

/** Ports, slaves and points of one gateway; its rows need not name it. */
export function importInto(deviceId: number): ImportEndpoints {
  const { projects: _none, ...others } = deviceImport;
  return {
    ...others,
    deviceId,
    upload: (file) => call(sdk.uploadImport({ query: { file_name: file.name, device_id: deviceId }, body: { file } })),
  };
}

/** Everything of one gateway as a workbook that its import takes back. */
export function exportOf(deviceId: number, language: Language): Promise<Blob> {
  return blobOf(sdk.exportDevices({ query: { device_id: deviceId, language }, parseAs: 'blob' }));
}

/** An import as it was left, and whether its last job previewed it or did it; null while there is none. */
export async function leftImport(
  endpoints: ImportEndpoints,
  id: string,
): Promise<{ state: ImportState; job: Job | null }> {
  const state = await endpoints.state(id);
  if (state.job_id === null) return { state, job: null };
  const job = await call(sdk.getJob({ path: { job_id: state.job_id } })).catch(() => null);
  return { state, job };
}

const MAX_RESULTS = 20;

async function findProjects(search: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const { nodes } = await call(sdk.listProjects({ signal }));
  return projectChoices(nodes, search, MAX_RESULTS);
}

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
