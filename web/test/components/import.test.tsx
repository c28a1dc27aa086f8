import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '@/api/errors';
import type { GetJobData, GetJobResponse, ImportRow, JobDetail } from '@/api/generated/types.gen';
import ImportDialog from '@/blocks/import/ImportDialog';
import type { ImportEndpoints, ImportPreview, ImportState } from '@/blocks/import/endpoints';
import { answer } from './network';
import { show } from './render';
import type { Rendered } from './render';

const MAY = ['DeviceManage', 'ProjectManage'];
const column = (field: string, en: string, is_key = false): ImportState['columns'][string][number] => ({
  field,
  zh: en,
  en,
  is_key,
});

function state(changes: Partial<ImportState> = {}): ImportState {
  return {
    id: 'i1',
    file_name: 'plant.xlsx',
    created_ms: 0,
    expires_ms: Date.now() + 3_600_000,
    sheets: [
      {
        name: 'Gateways',
        header: ['Serial', 'Name'],
        rows: 2,
        kind: 'devices',
        fields: ['gateway_id', 'device_title'],
        sample: [
          ['gw-1', 'Boiler house'],
          ['gw-2', ''],
        ],
      },
      { name: 'Notes', header: ['Text'], rows: 1, kind: null, fields: [null], sample: [['seen by Li']] },
    ],
    columns: {
      devices: [column('gateway_id', 'Serial number', true), column('device_title', 'Name')],
      ports: [column('gateway_id', 'Serial number', true), column('name', 'Port', true)],
      slaves: [],
      points: [column('gateway_id', 'Serial number', true), column('alarm_high', 'High alarm')],
    },
    preview: null,
    applied: false,
    job_id: null,
    ...changes,
  };
}

function preview(changes: Partial<ImportPreview> = {}): ImportPreview {
  return {
    id: 'p1',
    mode: 'merge',
    counts: { devices: { added: 2, changed: 1, removed: 0, wrong: 0 } },
    unchanged: 3,
    gateways: 3,
    new_devices: 2,
    removed_devices: 0,
    ...changes,
  };
}

function job(changes: Partial<JobDetail> = {}): JobDetail {
  const made: Partial<JobDetail> = {
    id: 9,
    kind: 'import_preview',
    title: 'plant.xlsx',
    state: 'completed',
    done: 3,
    total: 3,
    code: '',
    detail: '',
    file_name: '',
    size: 0,
    cancelling: false,
    ...changes,
  };
  return made as JobDetail;
}

const row = (changes: Partial<ImportRow> = {}): ImportRow => ({
  kind: 'changed',
  sheet: 'devices',
  number: 2,
  gateway_id: 'gw-1',
  key: [],
  cells: [{ field: 'device_title', before: 'Boiler', after: 'Boiler house', code: '', arguments: {} }],
  ...changes,
});

let endpoints: { [Name in keyof ImportEndpoints]-?: ReturnType<typeof vi.fn> & ImportEndpoints[Name] };
let found: ImportPreview;
let jobs: JobDetail;
const closed = vi.fn();

beforeEach(() => {
  closed.mockReset();
  found = preview();
  jobs = job();
  answer<GetJobData, GetJobResponse>('get', '/api/v1/job/{job_id}', () => jobs);
  const rows = [row()];
  endpoints = {
    template: vi.fn(() => Promise.resolve(new Blob())),
    upload: vi.fn(() => Promise.resolve(state())),
    state: vi.fn(() => Promise.resolve(state({ preview: found }))),
    preview: vi.fn(() => Promise.resolve(job())),
    rows: vi.fn(() => Promise.resolve({ rows, total: rows.length })),
    errors: vi.fn(() => Promise.resolve(new Blob())),
    apply: vi.fn(() => Promise.resolve(job({ id: 10, kind: 'import_apply' }))),
    discard: vi.fn(() => Promise.resolve()),
    projects: vi.fn(() => Promise.resolve([{ value: '4', label: 'North' }])),
  } as unknown as typeof endpoints;
});

function dialog(resume?: string): Promise<Rendered> {
  const of = endpoints as unknown as ImportEndpoints;
  return show(
    <ImportDialog
      title="Import"
      endpoints={of}
      changes={[]}
      onClose={closed}
      {...(resume === undefined ? {} : { resume })}
    />,
    { permissions: MAY },
  );
}

const file = (name: string, bytes = 10): File => new File([new Uint8Array(bytes)], name);
const drop = (given: File): void =>
  void fireEvent.drop(screen.getByTestId('import-drop'), { dataTransfer: { files: [given] } });

async function mapped(): Promise<Rendered> {
  const page = await dialog();
  drop(file('plant.xlsx'));
  await screen.findAllByTestId('import-sheet');
  return page;
}

async function previewed(): Promise<Rendered> {
  const page = await mapped();
  await page.user.click(screen.getByTestId('import-preview'));
  await screen.findByTestId('import-summary');
  return page;
}

const off = (id: string): boolean => screen.getByTestId<HTMLButtonElement>(id).disabled;

test.each([
  ['plant.csv', 10, /xls/],
  ['plant.xlsx', 0, /20/],
  ['plant.xlsx', 20 * 1024 * 1024 + 1, /20/],
])('a file that cannot be a workbook is not sent: %s of %i bytes', async (name, bytes, words) => {
  await dialog();
  drop(file(name, bytes));
  expect((await screen.findByTestId('import-fault')).textContent).toMatch(words);
  expect(endpoints.upload).not.toHaveBeenCalled();
});

test('a refusal of the cloud stands in the dialog and another file can be chosen', async () => {
  endpoints.upload.mockRejectedValueOnce(new ApiError({ code: 20_000, status: 400, msg: 'no sheet in it' }));
  await dialog();
  drop(file('plant.xlsx'));
  expect((await screen.findByTestId('import-fault')).textContent).toContain('no sheet in it');
  drop(file('plant.xlsx'));
  await screen.findAllByTestId('import-sheet');
});

test('the guess of the cloud is shown: kinds, fields and samples; what is left out is marked', async () => {
  await mapped();
  const [gateways, notes] = screen.getAllByTestId('import-sheet');
  expect(gateways?.textContent).toContain('gw-1');
  expect(within(gateways as HTMLElement).getAllByRole('row')).toHaveLength(3);
  expect(within(notes as HTMLElement).queryByRole('table')).toBeNull();
  expect(new URLSearchParams(window.location.search).get('import')).toBe('i1');
  expect(off('import-preview')).toBe(false);
});

test('a key that no column stands for is named, and stops the way on', async () => {
  endpoints.upload.mockResolvedValueOnce(
    state({ sheets: [{ ...state().sheets[0]!, fields: [null, 'device_title'] }] }),
  );
  await mapped();
  expect(screen.getByTestId('import-sheet').textContent).toContain('Serial number');
  expect(within(screen.getByTestId('import-sheet')).getByRole('status').textContent).toContain('Serial number');
  expect(off('import-preview')).toBe(true);
});

test('a file of which every sheet is left out leads nowhere', async () => {
  endpoints.upload.mockResolvedValueOnce(state({ sheets: [state().sheets[1]!] }));
  await mapped();
  expect(off('import-preview')).toBe(true);
});

test('what is sent for a preview: the mapping, merge at first, no removal', async () => {
  await previewed();
  expect(endpoints.preview).toHaveBeenCalledWith(
    'i1',
    [
      { kind: 'devices', fields: ['gateway_id', 'device_title'] },
      { kind: null, fields: [null] },
    ],
    'merge',
    null,
  );
});

test('only a replacement offers to remove gateways, of one project', async () => {
  const { user } = await mapped();
  expect(screen.queryByTestId('import-remove')).toBeNull();
  await user.click(screen.getByTestId('import-replace'));
  await user.click(screen.getByTestId('import-remove'));
  await user.click(screen.getByTestId('import-remove-project'));
  await user.click(await screen.findByRole('option', { name: /North/, hidden: true }));
  await user.click(screen.getByTestId('import-preview'));
  await waitFor(() => expect(endpoints.preview).toHaveBeenCalled());
  expect(endpoints.preview.mock.calls[0]?.slice(2)).toEqual(['replace', { project_id: 4 }]);
});

test('an import into one gateway never offers to remove gateways', async () => {
  endpoints.projects = undefined as never;
  const { user } = await mapped();
  await user.click(screen.getByTestId('import-replace'));
  expect(screen.queryByTestId('import-remove')).toBeNull();
});

test('a preview shows what was and what will be, counts by kind, and is applied as it was looked at', async () => {
  const { user } = await previewed();
  expect(screen.getByTestId('import-kind-all').textContent).toContain('3');
  expect(screen.getByTestId('import-kind-added').textContent).toContain('2');
  const line = await screen.findByText('Boiler house');
  expect(line.tagName).toBe('INS');
  expect(screen.getByText('Boiler').tagName).toBe('DEL');
  await user.click(screen.getByTestId('import-kind-added'));
  await waitFor(() => expect(endpoints.rows.mock.lastCall?.[1]).toMatchObject({ kind: 'added', page: 1, limit: 50 }));
  await user.click(screen.getByTestId('import-apply'));
  await screen.findByTestId('import-result');
  expect(endpoints.apply).toHaveBeenCalledWith('i1', 'p1', false, 0);
});

test('a wrong row stops the import until it is left out on purpose', async () => {
  found = preview({ counts: { devices: { added: 1, changed: 0, removed: 0, wrong: 2 } } });
  endpoints.rows.mockResolvedValue({
    rows: [
      row({
        kind: 'wrong',
        cells: [{ field: 'device_title', before: null, after: null, code: 'required', arguments: {} }],
      }),
    ],
    total: 1,
  });
  const { user } = await previewed();
  await waitFor(() => expect(endpoints.rows.mock.lastCall?.[1]).toMatchObject({ kind: 'wrong' }));
  expect(off('import-apply')).toBe(true);
  await user.click(screen.getByTestId('import-skip'));
  expect(off('import-apply')).toBe(false);
  await user.click(screen.getByTestId('import-apply'));
  await waitFor(() => expect(endpoints.apply).toHaveBeenCalledWith('i1', 'p1', true, 0));
});

test('gateways that go are confirmed by their number', async () => {
  found = preview({ removed_devices: 2, counts: { devices: { added: 0, changed: 0, removed: 2, wrong: 0 } } });
  const { user } = await previewed();
  expect(screen.getByTestId('import-removal').dataset.count).toBe('2');
  expect(off('import-apply')).toBe(true);
  await user.type(screen.getByTestId('import-removal-count'), '3');
  expect(off('import-apply')).toBe(true);
  await user.clear(screen.getByTestId('import-removal-count'));
  await user.type(screen.getByTestId('import-removal-count'), ' 2 ');
  expect(off('import-apply')).toBe(false);
  await user.click(screen.getByTestId('import-apply'));
  await waitFor(() => expect(endpoints.apply).toHaveBeenCalledWith('i1', 'p1', false, 2));
});

test('with wrong rows no gateway can be removed, and none can be left out', async () => {
  found = preview({ removed_devices: 1, counts: { devices: { added: 1, changed: 0, removed: 1, wrong: 1 } } });
  await previewed();
  expect(screen.queryByTestId('import-removal-count')).toBeNull();
  expect(screen.getByTestId<HTMLInputElement>('import-skip').disabled).toBe(true);
  expect(off('import-apply')).toBe(true);
});

test('a file that changes nothing cannot be applied and says so', async () => {
  found = preview({ counts: { devices: { added: 0, changed: 0, removed: 0, wrong: 0 } }, new_devices: 0 });
  endpoints.rows.mockResolvedValue({ rows: [], total: 0 });
  await previewed();
  expect((await screen.findByTestId('empty-state')).textContent).not.toBe('');
  expect(off('import-apply')).toBe(true);
});

test('what templates bring is counted beside the summary', async () => {
  found = preview({ by_template: { points: { added: 40, changed: 0, removed: 0, wrong: 0 } } });
  await previewed();
  expect(screen.getByTestId('import-by-template').textContent).toContain('40');
});

test('somebody else previewed meanwhile: it is said, and the state is read anew', async () => {
  endpoints.apply.mockRejectedValueOnce(
    new ApiError({ code: 20_000, status: 409, reason: 'import.other_preview', msg: 'other preview' }),
  );
  const { user } = await previewed();
  const before = endpoints.state.mock.calls.length;
  await user.click(screen.getByTestId('import-apply'));
  await waitFor(() => expect(endpoints.state.mock.calls.length).toBeGreaterThan(before));
  expect(screen.queryByTestId('import-result')).toBeNull();
});

test('the result counts, warns of secrets and leads to the deployment', async () => {
  const { user, went } = await previewed();
  jobs = job({
    id: 10,
    kind: 'import_apply',
    summary: { added: 2, changed: 1, drafts: 3, removed: 1 },
  } as Partial<JobDetail>);
  await user.click(screen.getByTestId('import-apply'));
  const result = await screen.findByTestId('import-result');
  await waitFor(() => expect(result.dataset.state).toBe('completed'));
  expect(screen.getByTestId('import-removed').textContent).toContain('1');
  await user.click(screen.getByTestId('import-deploy'));
  expect(went()).toBe('/group/index');
  expect(closed).toHaveBeenCalled();
});

test('an import that failed says why and can be begun again', async () => {
  const { user } = await previewed();
  jobs = job({ id: 10, kind: 'import_apply', state: 'failed', code: 'import.unknown', detail: 'disk full' });
  await user.click(screen.getByTestId('import-apply'));
  const told = await screen.findAllByText(/disk full/);
  expect(told.length).toBeGreaterThan(0);
  expect(screen.queryByTestId('import-deploy')).toBeNull();
});

test('leaving before it is done asks, and takes the file back', async () => {
  const { user } = await mapped();
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await user.click(await screen.findByTestId('confirm-no'));
  expect(closed).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(closed).toHaveBeenCalled());
  expect(endpoints.discard).toHaveBeenCalledWith('i1');
});

test('leaving before a file is chosen asks nothing', async () => {
  const { user } = await dialog();
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(closed).toHaveBeenCalled());
  expect(endpoints.discard).not.toHaveBeenCalled();
});

test('after a reload an import goes on where it was', async () => {
  endpoints.state.mockResolvedValue(state({ preview: found, job_id: 9 }));
  await dialog('i1');
  expect(await screen.findByTestId('import-summary')).toBeTruthy();
  expect(endpoints.upload).not.toHaveBeenCalled();
});

test('an import that is gone is told of, and another file can be chosen', async () => {
  endpoints.state.mockRejectedValue(new ApiError({ code: 20_000, status: 404, msg: 'gone' }));
  await dialog('i1');
  expect(await screen.findByTestId('import-expired')).toBeTruthy();
  expect(screen.getByTestId('import-drop')).toBeTruthy();
});
