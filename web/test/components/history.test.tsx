import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  ExportHistoryData,
  ExportHistoryResponse,
  GetDeviceData,
  GetDeviceResponse,
  GetJobData,
  GetJobResponse,
  GetPointRetentionData,
  GetPointRetentionEffectData,
  GetPointRetentionEffectResponse,
  GetPointRetentionResponse,
  GetUserOptionData,
  GetUserOptionResponse,
  JobDetail,
  ListDataSourcesData,
  ListDataSourcesResponse,
  OfPoint,
  PutPointRetentionData,
  PutPointRetentionResponse,
  PutUserOptionData,
  PutUserOptionResponse,
  SearchEverythingData,
  SearchEverythingResponse,
} from '@/api/generated/types.gen';
import ExportDialog from '@/blocks/history/ExportDialog';
import PointDrawer from '@/blocks/history/PointDrawer';
import type { RememberedPoint } from '@/blocks/history/remembered';
import { MAX_SERIES } from '@/blocks/history/series';
import { FOR_EVER } from '@/blocks/retention/api';
import PointRetention from '@/blocks/retention/PointRetention';
import { device, source } from './fixtures';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const SPAN = { start_ms: 1_700_000_000_000, end_ms: 1_700_003_600_000 };
const changed = vi.fn<(points: readonly RememberedPoint[]) => void>();
const closed = vi.fn();
let options: Call[];

const SOURCES = [
  source({ dsid: 1, ds_name: 'p', ds_title: 'Pressure', unit: 'bar' }),
  source({ dsid: 2, ds_name: 't', ds_title: 'Temperature', unit: '', slave: 'oven', slave_title: 'Oven' }),
  source({ dsid: 3, ds_name: 'start', ds_title: 'Start', rw: 'writeonly' }),
];

beforeEach(() => {
  changed.mockReset();
  closed.mockReset();
  answer<GetUserOptionData, GetUserOptionResponse>('get', '/api/v1/user/option', {
    name: 'history_points',
    value: [{ dsid: 9, device_id: 2, label: 'Marked point' }],
  } as unknown as GetUserOptionResponse['data']);
  options = answer<PutUserOptionData, PutUserOptionResponse>('put', '/api/v1/user/option', {
    name: 'history_points',
    value: [],
  } as unknown as PutUserOptionResponse['data']);
  answer<GetDeviceData, GetDeviceResponse>('get', '/api/v1/device/{device_id}', device());
  answer<ListDataSourcesData, ListDataSourcesResponse>('get', '/api/v1/device/dss', {
    rows: SOURCES,
    total: SOURCES.length,
  } as ListDataSourcesResponse['data']);
});

const remembered = (dsid: number): RememberedPoint => ({ dsid, deviceId: 1, label: `Point ${dsid}` });

function drawer(points: readonly RememberedPoint[] = [], fixed = false): Promise<Rendered> {
  return show(<PointDrawer points={points} device={1} fixed={fixed} user={1} onChange={changed} onClose={closed} />);
}

const tick = (name: RegExp): HTMLInputElement => screen.getByRole<HTMLInputElement>('checkbox', { name });

test('points stand below their slave, with their unit; what is only written has no history', async () => {
  await drawer();
  await screen.findByRole('heading', { name: 'Oven' });
  expect(tick(/Pressure \(bar\)/)).toBeTruthy();
  expect(tick(/^Temperature$/)).toBeTruthy();
  expect(screen.queryByRole('checkbox', { name: /Start/ })).toBeNull();
});

test('a tick adds a point behind the others, another takes it away', async () => {
  const { user } = await drawer([remembered(1)]);
  await screen.findByRole('heading', { name: 'Oven' });
  expect(tick(/Pressure/).checked).toBe(true);
  await user.click(tick(/Temperature/));
  expect(changed.mock.lastCall?.[0].map(({ dsid }) => dsid)).toEqual([1, 2]);
  await user.click(tick(/Pressure/));
  expect(changed.mock.lastCall?.[0]).toEqual([]);
});

test('with as many points as a chart takes no other can be ticked, but each be taken away', async () => {
  const many = Array.from({ length: MAX_SERIES }, (_, at) => remembered(at === 0 ? 1 : 100 + at));
  await drawer(many);
  await screen.findByRole('heading', { name: 'Oven' });
  expect(tick(/Temperature/).disabled).toBe(true);
  expect(tick(/Pressure/).disabled).toBe(false);
  expect(screen.getByRole('status').textContent).toMatch(new RegExp(`${MAX_SERIES}.*${MAX_SERIES}`));
});

test('the search finds by title and name, in any case; nothing found is said', async () => {
  const { user } = await drawer();
  await screen.findByRole('heading', { name: 'Oven' });
  await user.type(screen.getByTestId('point-search'), ' PRESS ');
  await waitFor(() => expect(screen.queryByRole('checkbox', { name: /Temperature/ })).toBeNull());
  expect(tick(/Pressure/)).toBeTruthy();
  await user.clear(screen.getByTestId('point-search'));
  await user.type(screen.getByTestId('point-search'), 'zzz');
  await waitFor(() => expect(screen.queryByRole('checkbox', { name: /Pressure/ })).toBeNull());
});

test('a mark shows at once and is kept in the cloud, the newest first', async () => {
  const { user } = await drawer();
  await screen.findByRole('heading', { name: 'Oven' });
  const star = screen.getByRole('button', { name: /Temperature/ });
  await user.click(star);
  await waitFor(() => expect(star.getAttribute('aria-pressed')).toBe('true'));
  await waitFor(() => expect(options).toHaveLength(1));
  expect(options[0]?.body).toMatchObject({ value: [{ dsid: 2 }, { dsid: 9 }] });
});

test('a mark that the cloud refuses goes again', async () => {
  const { user } = await drawer();
  await screen.findByRole('heading', { name: 'Oven' });
  refuse<PutUserOptionData>('put', '/api/v1/user/option', { status: 500, code: 20_000 });
  const star = screen.getByRole('button', { name: /Temperature/ });
  await user.click(star);
  await waitFor(() => expect(star.getAttribute('aria-pressed')).toBe('false'));
});

test('points of a page of one gateway are of that one alone', async () => {
  await drawer([], true);
  await screen.findByRole('heading', { name: 'Oven' });
  expect(screen.queryByTestId('history-device')).toBeNull();
  expect(screen.queryByTestId('point-anywhere')).toBeNull();
  expect(screen.queryByText('Marked point')).toBeNull();
});

test('points of every gateway are found in the cloud', async () => {
  const calls = answer<SearchEverythingData, SearchEverythingResponse>('get', '/api/v1/search', {
    points: [{ dsid: 77, device_id: 4, device_title: 'Mill', slave: 'plc', slave_title: '', name: 'rpm', title: '' }],
  } as unknown as SearchEverythingResponse['data']);
  const { user } = await drawer();
  await user.type(await screen.findByTestId('point-anywhere'), 'rpm');
  const found = within(await screen.findByTestId('points-anywhere'));
  expect(calls.at(-1)?.query.get('q')).toBe('rpm');
  await user.click(found.getByRole('checkbox'));
  expect(changed.mock.lastCall?.[0][0]).toMatchObject({ dsid: 77, deviceId: 4 });
  expect(changed.mock.lastCall?.[0][0]?.label).toMatch(/Mill.*plc.*rpm/);
});

test('points that cannot be read are told of, and asked for again', async () => {
  refuse<ListDataSourcesData>('get', '/api/v1/device/dss', {
    status: 500,
    code: 20_000,
    data: { message: 'disk full' },
  });
  const { user } = await drawer();
  expect(await screen.findByText(/disk full/)).toBeTruthy();
  answer<ListDataSourcesData, ListDataSourcesResponse>('get', '/api/v1/device/dss', {
    rows: SOURCES,
    total: 3,
  } as ListDataSourcesResponse['data']);
  await user.click(screen.getByRole('button', { name: /again|retry/i }));
  expect(await screen.findByRole('heading', { name: 'Oven' })).toBeTruthy();
});

test.each([
  ['en', 'en'],
  ['zh', 'zh'],
] as const)('a file is asked for with what is chosen (%s)', async (language, sent) => {
  const calls = answer<ExportHistoryData, ExportHistoryResponse>('post', '/api/v1/device/hisdata/export', {
    id: 3,
  } as unknown as ExportHistoryResponse['data']);
  const job: Partial<JobDetail> = {
    id: 3,
    kind: 'history',
    title: '',
    state: 'completed',
    done: 1,
    total: 1,
    code: '',
    detail: '',
    file_name: 'history.csv',
    size: 2048,
  };
  answer<GetJobData, GetJobResponse>('get', '/api/v1/job/{job_id}', job as JobDetail);
  const { user } = await show(<ExportDialog dsids={[1, 2]} span={SPAN} onClose={closed} />, { language });
  expect(screen.getByRole('dialog').textContent).toMatch(/200[,\s]?000/);
  await user.click(screen.getAllByRole('radio')[1] as HTMLElement);
  expect(screen.getByRole('dialog').textContent).toMatch(/1[,\s]?000[,\s]?000/);
  await user.click(screen.getByTestId('export-width'));
  await user.click((await screen.findAllByRole('option', { hidden: true }))[3] as HTMLElement);
  await user.click(screen.getByTestId('export-ask'));
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(calls[0]?.body).toEqual({
    dsids: [1, 2],
    ...SPAN,
    form: 'csv',
    width_ms: 3_600_000,
    offset_min: 0 - new Date().getTimezoneOffset(),
    language: sent,
  });
  expect((await screen.findByTestId('job-download')).textContent).toMatch(/2/);
});

const KEPT = { ...FOR_EVER, raw_days: 30, minute_days: 90 };
const effect = (losses: unknown[]): GetPointRetentionEffectResponse['data'] =>
  ({ points: 1, losses }) as unknown as GetPointRetentionEffectResponse['data'];

function retention(of: Partial<OfPoint> = {}): Promise<Rendered> {
  answer<GetPointRetentionData, GetPointRetentionResponse>('get', '/api/v1/retention/point', {
    dsid: 1,
    source: 'platform',
    kept: KEPT,
    own_limit_s: null,
    ...of,
  } as OfPoint);
  return show(<PointRetention points={[{ dsid: 1, label: 'Pressure' }]} onClose={closed} />);
}

const days = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(`kept-${name}`);

async function set({ user }: Rendered, name: string, value: string): Promise<void> {
  await user.clear(await screen.findByTestId(`kept-${name}`));
  await user.type(days(name), value);
}

function put(): Call[] {
  return answer<PutPointRetentionData, PutPointRetentionResponse>(
    'put',
    '/api/v1/retention/point',
    {} as PutPointRetentionResponse['data'],
  );
}

test('coarser data is never kept for shorter than finer data', async () => {
  const sent = put();
  const page = await retention();
  await set(page, 'minute_days', '20');
  await page.user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(days('minute_days').getAttribute('aria-invalid')).toBe('true'));
  expect(sent).toEqual([]);
});

test('what a change deletes is told and asked; no keeps everything', async () => {
  const sent = put();
  answer<GetPointRetentionEffectData, GetPointRetentionEffectResponse>(
    'get',
    '/api/v1/retention/point/effect',
    effect([{ field: 'raw_days', before_ms: SPAN.start_ms, points: 1 }]),
  );
  const page = await retention();
  await set(page, 'raw_days', '10');
  await page.user.click(screen.getByTestId('form-save'));
  expect(within(await screen.findByTestId('retention-losses')).getAllByRole('listitem')).toHaveLength(1);
  await page.user.click(screen.getByTestId('confirm-no'));
  await waitFor(() => expect(screen.queryByTestId('confirm-dialog')).toBeNull());
  expect(sent).toEqual([]);
  await page.user.click(screen.getByTestId('form-save'));
  await page.user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.body).toEqual({ dsid: 1, kept: { ...KEPT, raw_days: 10 } });
  await waitFor(() => expect(closed).toHaveBeenCalled());
});

test('longer days delete nothing and ask nothing', async () => {
  const sent = put();
  answer<GetPointRetentionEffectData, GetPointRetentionEffectResponse>(
    'get',
    '/api/v1/retention/point/effect',
    effect([]),
  );
  const page = await retention();
  await set(page, 'raw_days', '60');
  await page.user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(screen.queryByTestId('retention-losses')).toBeNull();
});

test('days of a point are taken back: those of what is above it count again', async () => {
  const sent = put();
  answer<GetPointRetentionEffectData, GetPointRetentionEffectResponse>(
    'get',
    '/api/v1/retention/point/effect',
    effect([]),
  );
  const page = await retention({ source: 'point' });
  await page.user.click(await screen.findByTestId('retention-back'));
  await waitFor(() => expect(sent[0]?.body).toEqual({ dsid: 1, kept: null }));
});

test('days that are not the point’s own cannot be taken back', async () => {
  await retention();
  expect((await screen.findByTestId('retention-source')).dataset.source).toBe('platform');
  expect(screen.queryByTestId('retention-back')).toBeNull();
});

test('a database that deletes by itself is told of', async () => {
  await retention({ own_limit_s: 129_600 });
  expect((await screen.findByTestId('retention-own-limit')).textContent).toContain('1.5');
});
