import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  ActiveProblem,
  CompletenessFigure,
  GetUserOptionData,
  GetUserOptionResponse,
  KeyValues,
  LastValue,
  MonitorPoint,
  PlatformFigures,
  PutUserOptionData,
  PutUserOptionResponse,
} from '@/api/generated/types.gen';
import { formatClock } from '@/lib/time';
import { connectLive } from './live';
import { answer } from './network';
import { HOUR, hrefOf, linksIn, NOW, page, part, serve, text } from './overview-fixtures';

beforeEach(() => serve());

function figure(changes: Partial<CompletenessFigure> = {}): CompletenessFigure {
  return {
    from_ms: NOW - 24 * HOUR,
    to_ms: NOW,
    as_of_ms: NOW - 5_000,
    collection: { expected: 1_000_000, good: 999_999, percent: 99.999 },
    transport: { expected: 400, good: 400, percent: 100 },
    gateways: 10,
    complete: 7,
    unknown: 2,
    ...changes,
  };
}

test('one missing read of a million keeps the share below 100 %; gateways that nobody knows are counted apart', async () => {
  await page({ completeness: figure() });
  expect(screen.getByTestId('collection-share').textContent).toBe('99.999 %999999 of 1000000 reads good');
  expect(screen.getByTestId('transport-share').textContent).toBe('100 %400 of 400 batches received');
  expect(text('completeness')).toContain(
    `Complete collection: 7 of 8 gateways · 2 gateways unknown · Updated ${formatClock(NOW - 5_000)}`,
  );
  expect(hrefOf(screen.getByTestId('all-completeness'))).toBe(
    `/monitor/completeness?start=${NOW - 24 * HOUR}&end=${NOW}`,
  );
});

test.each([
  [99.899, '99.89 %'],
  [99.9, '99.900 %'],
  [98.999, '98.99 %'],
  [0, '0.00 %'],
])('a share of %d is cut to %s', async (percent, words) => {
  await page({ completeness: figure({ collection: { expected: 9, good: 1, percent } }) });
  expect(screen.getByTestId('collection-share').textContent).toMatch(new RegExp(`^${words.replace('.', '\\.')}`));
});

test('a share that nobody knows is a dash, and no gateway is called complete', async () => {
  const nothing = { expected: 0, good: 0, percent: null };
  await page({
    completeness: figure({ collection: nothing, transport: nothing, gateways: 3, complete: 0, unknown: 3 }),
  });
  expect(screen.getByTestId('collection-share').textContent).toBe('–No records yet');
  expect(screen.getByTestId('transport-share').textContent).toBe('–No records yet');
  expect(text('completeness')).toContain('3 gateways unknown');
  expect(text('completeness')).not.toContain('%');
  expect(text('completeness')).not.toContain('Complete collection');
});

test('while completeness is counted for the first time no figure stands there, and it is asked for soon', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  await page({ counting: true });
  expect(screen.getByTestId('completeness-counting').textContent).toBe('Being counted…');
  expect(text('problems')).toContain('Missed reads of the last 24 h are still being counted.');
  expect(screen.queryByTestId('collection-share')).toBeNull();
  serve({ completeness: figure({ as_of_ms: NOW }) });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await screen.findByTestId('collection-share')).toBeTruthy();
  expect(screen.queryByTestId('completeness-counting')).toBeNull();
});

test('missed reads say of when they are, as the share does', async () => {
  const missed: ActiveProblem = {
    kind: 'reads_missing',
    severity: 'info',
    since_ms: null,
    device_id: 7,
    device_title: 'Mill',
    gateway_id: 'gw-7',
    count: 192,
    percent: 98.07,
  };
  await page({ completeness: figure(), problems: { rows: [missed], counts: [] } });
  expect(screen.getByTestId('problem').textContent).toContain(`98.07 % · Updated ${formatClock(NOW - 5_000)}`);
});

test('who may not open the list of a part gets no way to it', async () => {
  await page({ completeness: figure() }, ['PlatformOverView']);
  expect(screen.getByTestId('collection-share')).toBeTruthy();
  expect(screen.queryByTestId('all-completeness')).toBeNull();
});

function point(changes: Partial<MonitorPoint> = {}): MonitorPoint {
  return {
    ds_type: 'num',
    data_type: 'float32',
    unit: 'bar',
    decimals: 2,
    dsid: 11,
    ds_name: 'pressure',
    ds_title: 'Pressure',
    rw: 'read',
    slave: 'plc',
    slave_title: 'PLC',
    record: 1,
    period_ms: 1_000,
    min: null,
    max: null,
    device_id: 7,
    ...changes,
  };
}

const last = (changes: Partial<LastValue> = {}): LastValue => ({
  dsid: 11,
  t_ms: Date.now(),
  value: 1.5,
  quality: 0,
  received_ms: Date.now(),
  ...changes,
});

function keyValues(changes: Partial<KeyValues> = {}, gateway = {}): KeyValues {
  return {
    marked: true,
    points: [point()],
    devices: [
      {
        id: 7,
        gateway_id: 'gw-7',
        device_title: 'Mill',
        online: true,
        last_ms: NOW,
        writes: false,
        report_interval_s: 0,
        ...gateway,
      },
    ],
    last: [last()],
    trends: [],
    from_ms: NOW - HOUR,
    away: false,
    ...changes,
  };
}

const value = (): string => screen.getByTestId('key-pressure').textContent;
const trust = (): string =>
  screen.getByTestId('key-value').querySelector<HTMLElement>('[data-part="trust"]')?.textContent ?? '';

test.each([
  ['fresh', {}, {}, '1.50', 'Good'],
  ['of bad quality', { quality: 3 }, {}, '1.50', 'Bad frame'],
  ['of a slave that does not respond', { quality: 5, value: null }, {}, '–', 'Slave not responding'],
  ['old', { t_ms: NOW - 60_000 }, {}, '1.50', 'Stale'],
  ['of a gateway that is offline', {}, { online: false }, '1.50', 'Gateway offline'],
  ['of a gateway that reports every ten minutes', { t_ms: NOW - 300_000 }, { report_interval_s: 600 }, '1.50', 'Good'],
])('a value %s is told with how far it can be trusted', async (_how, changes, gateway, words, mark) => {
  await page({ values: keyValues({ last: [last(changes)] }, gateway) });
  expect(value()).toBe(words);
  expect(trust()).toBe(mark);
});

test('a point without a value shows none, and says that there is no data', async () => {
  await page({ values: keyValues({ last: [] }) });
  expect(value()).toBe('–');
  expect(trust()).toBe('No data');
  expect(screen.getByText('No data in the last hour')).toBeTruthy();
  expect(screen.queryByTestId('spark')).toBeNull();
});

test('when values cannot be read the page says so, and does not claim that there were none', async () => {
  await page({ values: keyValues({ last: [], away: true }) });
  expect(screen.getByTestId('values-away').textContent).toContain('cannot be read right now');
  expect(screen.queryByText('No data in the last hour')).toBeNull();
  expect(value()).toBe('–');
});

test('a gateway that goes is told at its values at once; one that only sleeps keeps them', async () => {
  const { push } = await connectLive();
  await page({ values: keyValues({ last: [last()] }, { report_interval_s: 600 }) });
  expect(trust()).toBe('Good');
  push({ type: 'device', did: 7, link: { online: false, back_ms: NOW + HOUR } });
  expect(trust()).toBe('Good');
  push({ type: 'device', did: 7, link: { online: false, back_ms: null } });
  expect(trust()).toBe('Gateway offline');
  expect(value()).toBe('1.50');
});

test('the last hour of a point is a line with its range in words', async () => {
  const trend = { dsid: 11, t_ms: [NOW - HOUR, NOW - HOUR / 2, NOW], v: [1, null, 3] };
  await page({ values: keyValues({ trends: [trend] }) });
  expect(screen.getByTestId('spark').getAttribute('aria-label')).toBe('Last hour: minimum 1, maximum 3');
  expect(screen.queryByText('No data in the last hour')).toBeNull();
});

test('marked points open in the list monitor as they are', async () => {
  await page({ values: keyValues({ points: [point(), point({ dsid: 12, ds_name: 'level' })] }) });
  expect(hrefOf(screen.getByTestId('all-values'))).toBe('/monitor/list?points=11%2C12');
  expect(screen.queryByText(/You have no favourite points yet/)).toBeNull();
});

test('without a mark the page says whose points these are', async () => {
  await page({ values: keyValues({ marked: false }) });
  expect(screen.getByText(/You have no favourite points yet/)).toBeTruthy();
  expect(hrefOf(screen.getByTestId('all-values'))).toBe('/monitor/list');
});

test('without any point the part says what it waits for', async () => {
  await page({ values: keyValues({ marked: false, points: [], devices: [], last: [] }) });
  expect(text('values')).toContain('No data points yet.');
  expect(screen.queryByText(/You have no favourite points yet/)).toBeNull();
});

test('a star at a value takes the mark away in the cloud', async () => {
  answer<GetUserOptionData, GetUserOptionResponse>('get', '/api/v1/user/option', {
    name: 'history_points',
    value: [{ dsid: 11, device_id: 7, label: 'Mill PLC Pressure' }],
  } as unknown as GetUserOptionResponse['data']);
  const put = answer<PutUserOptionData, PutUserOptionResponse>('put', '/api/v1/user/option', {
    name: 'history_points',
    value: [],
  } as unknown as PutUserOptionResponse['data']);
  const { user } = await page({ values: keyValues() });
  const star = within(screen.getByTestId('key-value')).getByTestId('star');
  await waitFor(() => expect(star.getAttribute('aria-pressed')).toBe('true'));
  await user.click(star);
  await waitFor(() => expect(put[0]?.body).toEqual({ name: 'history_points', value: [] }));
  expect(star.getAttribute('aria-pressed')).toBe('false');
});

function platform(changes: Partial<PlatformFigures> = {}): PlatformFigures {
  return {
    rate_now: 120,
    rate_hour: null,
    backlog: 1,
    waiting: 0,
    points: 5_000,
    series: 5_200,
    connected: 9,
    running_jobs: 2,
    failed_jobs: 1,
    disk: { database: 2_147_483_648, series: null, free: 5_368_709_120, size: 107_374_182_400 },
    version: '1.4.0',
    started_ms: Date.now() - 3 * HOUR,
    as_of_ms: NOW,
    ...changes,
  };
}

test('the platform’s figures: unknown rates are dashes, a disk that runs full is marked, jobs lead to their list', async () => {
  await page({ platform: platform() });
  const row = (name: string): HTMLElement =>
    part('platform').querySelector<HTMLElement>(`[data-figure="${name}"] dd`) as HTMLElement;
  const said = (name: string): string => row(name).textContent;
  expect([said('rateNow'), said('rateHour')]).toEqual(['120/s', '–']);
  expect([said('backlog'), said('waiting')]).toEqual(['1 batch', '0 batches']);
  expect([said('database'), said('seriesSize')]).toEqual(['2.0 GB', 'on another server']);
  expect(said('free')).toBe('5.0 GB / 100 GB');
  expect(row('free').querySelector('[data-tone="warn"]')).not.toBeNull();
  expect(linksIn(row('jobs'))).toEqual([
    '/dataCenter/fileDownload?state=generating&whose=all',
    '/dataCenter/fileDownload?state=failed&whose=all',
  ]);
  expect(said('uptime')).toBe('3 h');
});
