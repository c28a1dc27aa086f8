import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import type { ActiveProblem, GetOverviewData } from '@/api/generated/types.gen';
import Overview from '@/features/overview/screens/Overview';
import { PATIENCE_MS } from '@/lib/live/contact';
import { formatClock } from '@/lib/time';
import { connectLive } from './live';
import { network, refuse } from './network';
import { calls, HOUR, hrefOf, linksIn, MAY, NOW, overview, page, PATH, serve, text } from './overview-fixtures';
import { show } from './render';

beforeEach(() => serve());

const asOf = (): string => screen.getByTestId('overview-as-of').textContent;

test('nothing is claimed before the first answer is here', async () => {
  let open: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  network.use(
    http.get(`*${PATH}`, async () => {
      await held;
      return HttpResponse.json({ code: 0, msg: '', data: overview() });
    }),
  );
  await show(<Overview />, { permissions: MAY });
  expect(screen.queryByTestId('overview-as-of')).toBeNull();
  expect(screen.queryByText('No active problems')).toBeNull();
  open();
  expect(await screen.findByText('No active problems')).toBeTruthy();
  expect(asOf()).toBe(`Updated ${formatClock(NOW)}`);
});

test('an overview that cannot be read says why, and is asked for again', async () => {
  refuse<GetOverviewData>('get', PATH, { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user } = await show(<Overview />, { permissions: MAY });
  expect((await screen.findByTestId('error-state')).textContent).toContain('disk full');
  serve();
  await user.click(screen.getByRole('button', { name: /again|retry/i }));
  expect(await screen.findByTestId('no-problems')).toBeTruthy();
});

test('an overview that cannot be updated says of when it is, and no more that all is well', async () => {
  // The date stays: an answer of later would speak for the cloud in the tests below.
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  await page();
  expect(screen.getByTestId('no-problems').textContent).toBe('No active problems');
  refuse<GetOverviewData>('get', PATH, { status: 500, code: 20_000, data: { message: 'disk full' } });
  await vi.advanceTimersByTimeAsync(60_000);
  await waitFor(() => expect(asOf()).toBe(`Could not be updated. State as of ${formatClock(NOW)}`));
  expect(screen.getByTestId('no-problems').textContent).toBe('The current state is unknown');
  serve({ server_ms: NOW + HOUR });
  await vi.advanceTimersByTimeAsync(60_000);
  await waitFor(() => expect(asOf()).toBe(`Updated ${formatClock(NOW + HOUR)}`));
  expect(screen.getByTestId('no-problems').textContent).toBe('No active problems');
});

test('while cut off from the cloud the page says of when it is, and no problem is not claimed', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { lose } = await connectLive();
  await page();
  network.use(http.get(`*${PATH}`, () => HttpResponse.error()));
  lose();
  await vi.advanceTimersByTimeAsync(PATIENCE_MS + 1_000);
  await waitFor(() => expect(asOf()).toBe(`Disconnected from the cloud. State as of ${formatClock(NOW)}`));
  expect(screen.getByTestId('no-problems').textContent).toBe('The current state is unknown');
});

test('a push of an alarm asks for the page again', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { push } = await connectLive();
  await page();
  expect(calls).toHaveLength(1);
  push({ type: 'alarm', did: 7, id: 1, event: 'new', at: NOW, alarm_type: 0, pid: 0 });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(calls).toHaveLength(2);
});

test('a push that changes nothing on the page asks for nothing', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { push } = await connectLive();
  await page({ watch: [{ device_id: 7, status: 'online' }] });
  push({ type: 'device', did: 7, presence: { status: 'online', code: '' } });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(calls).toHaveLength(1);
  push({ type: 'device', did: 7, presence: { status: 'offline', code: 'link_lost' } });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(calls).toHaveLength(2);
});

test('each number of gateways leads to the list that it counts; parts are told where there are any', async () => {
  await page();
  const tile = (status: string): HTMLElement => screen.getByTestId(`state-${status}`);
  expect(tile('total').textContent).toBe('12Devices');
  expect(tile('online').textContent).toBe('6Online');
  expect(tile('silent').textContent).toBe('0No slave responding');
  expect(tile('offline').dataset.tone).toBe('bad');
  expect(tile('silent').dataset.tone).toBeUndefined();
  expect(linksIn(tile('alarm'))).toEqual(['/monitor/device?status=alarm']);
  expect(tile('never_connected').textContent).toBe('Never connected: 2');
  expect(hrefOf(tile('never_connected'))).toBe('/monitor/device?status=never_connected');
  for (const none of ['disabled', 'asleep']) expect(screen.queryByTestId(`state-${none}`)).toBeNull();
});

test('who may not monitor devices is told so and sees no states, no problems and no ways to gateways', async () => {
  await page({ states: null, problems: null }, ['PlatformOverView']);
  expect(screen.getByText(/You are not allowed to monitor devices/)).toBeTruthy();
  for (const none of ['states', 'problems', 'values', 'completeness', 'events', 'places', 'platform'])
    expect(screen.queryByTestId(`overview-${none}`)).toBeNull();
  expect(screen.queryByTestId('overview-bind')).toBeNull();
});

test.each([
  [MAY, 'Add a gateway', true],
  [MAY.filter((code) => code !== 'Device/save'), "Get the device's QR code", false],
])('without gateways the way to the first value takes the place of empty parts (%#)', async (may, first, adds) => {
  const states = { total: 0, statuses: {}, away: 0, never_connected: 0, disabled: 0, asleep: 0 };
  const { user, went } = await page(
    { states, favourites: [], link: { newest_ms: null, oldest_ms: null, quiet: [] } },
    may,
  );
  const steps = within(screen.getByTestId('first-steps'));
  expect(steps.getAllByRole('listitem')[0]?.textContent).toContain(first);
  expect(steps.queryByTestId('overview-add') !== null).toBe(adds);
  for (const none of ['states', 'problems', 'link', 'favourites'])
    expect(screen.queryByTestId(`overview-${none}`)).toBeNull();
  await user.click(steps.getByTestId('overview-bind'));
  expect(went()).toBe('/device/bind');
});

function problem(changes: Partial<ActiveProblem> = {}): ActiveProblem {
  return {
    kind: 'gateway_offline',
    severity: 'danger',
    since_ms: NOW - 40 * 24 * HOUR,
    device_id: 7,
    device_title: 'Mill',
    gateway_id: 'gw-7',
    ...changes,
  };
}

test.each([
  [{ kind: 'gateway_offline', code: 'link_lost', count: 3 }, /^Gateway offline.*state of 3 slaves unknown/],
  [{ kind: 'gateway_offline', alarms: 1 }, /^Gateway offline.*1 open alarm$/],
  [{ kind: 'slave_silent', slave: 'plc', code: 'no_answer' }, /^Slave "plc" does not respond$/],
  [{ kind: 'slave_silent', slave: 'plc', slave_title: 'PLC', code: 'bad_frame' }, /^Slave "PLC": no valid response.+/],
  [{ kind: 'no_slave_answers', count: 4, alarms: 2 }, /^None of the 4 slaves responds2 open alarms$/],
  [{ kind: 'alarm_open', slave_title: 'PLC', code: '' }, /^PLC : unhandled alarm|^PLC: unhandled alarm/],
  [
    { kind: 'alarm_open', code: 'target_down', alarm: { title: 'bureau' } as never },
    /^Unhandled alarmForwarding target "bureau" takes no data$/,
  ],
  [{ kind: 'reads_missing', count: 1, percent: 99.999 }, /^1 missed read in 24 hcollection 99\.999 %$/],
  [{ kind: 'reads_missing', count: 5, percent: null }, /collection –$/],
  [{ kind: 'store_filling', hours_left: 30 }, /full in about 1 d$/],
  [{ kind: 'store_filling', hours_left: null }, /^Gateway storage is filling up$/],
  [{ kind: 'store_full', count: 12 }, /^Gateway storage fullBatches discarded: 12$/],
  [{ kind: 'samples_dropped', count: 8 }, /Samples discarded: 8$/],
  [{ kind: 'deployment_failed', code: 'reverted' }, /went back to its previous configuration$/],
  [{ kind: 'deployment_failed', code: 'unheard_of' }, /^Deployment failedunheard_of$/],
  [{ kind: 'clock_not_set' }, /^Gateway clock not set$/],
] as const)('a problem is told with its cause: %o', async (changes, words) => {
  await page({ problems: { rows: [problem({ device_title: '', ...changes })], counts: [] } });
  const row = screen.getByTestId('problem');
  expect(row.firstElementChild?.textContent).toMatch(words);
  expect(screen.getByTestId('problem-link').textContent).toBe('gw-7');
});

test('a problem leads to where one acts; since when is told without the year while it is the same', async () => {
  const since_ms = NOW - 1_000;
  const rows = [problem({ since_ms }), problem({ kind: 'alarm_open', device_id: 8, since_ms: null })];
  const { user, went } = await page({ problems: { rows, counts: [] } });
  const [offline, alarm] = screen.getAllByTestId('problem-link') as [HTMLElement, HTMLElement];
  expect(hrefOf(alarm)).toBe('/alarm/alarmlog?device=8&status=0&range=oneYear');
  const [first, second] = screen.getAllByTestId('problem');
  expect(first?.lastChild?.textContent).toMatch(/^(\d\d-\d\d )?\d\d:\d\d$/);
  expect(second?.lastChild?.textContent).toBe('');
  await user.click(offline);
  expect(went()).toBe('/deviceDetail/index?device_id=7&tab=info');
});

test('twelve problems are shown at once, the others on demand; what the cloud left out is counted', async () => {
  const rows = Array.from({ length: 15 }, (_, at) => problem({ device_id: at + 1 }));
  const counts = [
    { kind: 'gateway_offline', total: 20 },
    { kind: 'deployment_failed', total: 1 },
  ] as const;
  const { user } = await page({ problems: { rows, counts: [...counts] } });
  expect(screen.getAllByTestId('problem')).toHaveLength(12);
  const foot = screen.getByText('5 more gateways offline');
  expect(hrefOf(foot)).toBe('/monitor/device?status=away');
  expect(text('problems')).toContain('1 more failed deployment · All deployments');
  expect(hrefOf(screen.getByText('All deployments'))).toBe('/device/deviceTask');
  await user.click(screen.getByTestId('problems-all'));
  expect(screen.getAllByTestId('problem')).toHaveLength(15);
  expect(screen.getByText('5 more gateways offline')).toBeTruthy();
  expect(screen.queryByTestId('problems-all')).toBeNull();
});

test('targets that take no data are counted, with the way to the list of them', async () => {
  await page({ targets_down: 2 });
  const line = screen.getByTestId('overview-targets');
  expect(line.textContent).toBe('Forwarding targets not taking data: 2');
  expect(linksIn(line)).toEqual(['/monitor/forwarding?condition=trouble']);
});

test.each([
  [0, MAY],
  [null, MAY],
  [2, ['PlatformOverView']],
])('%s targets without data have no line for who may %o', async (targets_down, permissions) => {
  await page({ targets_down }, permissions);
  expect(screen.queryByTestId('overview-targets')).toBeNull();
});
