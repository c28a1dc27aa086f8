import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  TargetRow,
  GatewayTargetRow,
  GetConfigurationData,
  GetConfigurationResponse,
  ListDeviceTargetsData,
  ListDeviceTargetsResponse,
  ListForwardersData,
  ListForwardersResponse,
  ListTargetsData,
  ListTargetsResponse,
} from '@/api/generated/types.gen';
import { queryClient } from '@/app/queryClient';
import ForwardingTab from '@/features/forwarding/screens/ForwardingTab';
import TargetList from '@/features/forwarding/screens/TargetList';
import { formatDateTime } from '@/lib/time';
import { cellsOf } from './cells';
import { answer, refuse } from './network';
import { show } from './render';

const MAY = ['Monitor.DeviceMonitor'];
const AT = '/deviceDetail/index?device_id=7&tab=forwarding';
const T = Date.UTC(2026, 10, 27, 8, 30);

function ledger(changes: Partial<TargetRow> = {}): TargetRow {
  return {
    name: 'usb',
    kind: 'file',
    condition: 'up',
    since_ms: T,
    reason: '',
    waiting_batches: 0,
    waiting_bytes: 0,
    waiting_records: 0,
    lost_batches: 0,
    delivered: 12,
    late: 0,
    repeated: 0,
    given_up: 0,
    failed: 0,
    last_ack_ms: 0,
    next_try_ms: 0,
    trouble_since_ms: 0,
    rejects: [],
    reported_ms: T,
    ...changes,
  };
}

const REFUSED = ledger({
  name: 'bureau',
  kind: 'hj212',
  condition: 'down',
  reason: 'the platform says: wrong MN',
  waiting_batches: 40,
  waiting_records: 7,
  late: 2,
  repeated: 3,
  given_up: 5,
  rejects: [
    { t_ms: T + 60_000, record: '2051 08:30', reason: 'wrong MN', count: 4, given_up: true },
    { t_ms: T, record: '2011', reason: 'wrong PW', count: 1, given_up: false },
    { t_ms: T - 1, record: '2051 08:30', reason: 'wrong MN', count: 2, given_up: false },
  ],
});

/** The page around the tab has loaded its device. */
function device(online: boolean): void {
  queryClient.setQueryData(['device', 7], { id: 7, link: { online, since_ms: T, reason: 'ok' } });
}

beforeEach(() => device(true));

function serve(rows: TargetRow[]): void {
  answer<ListDeviceTargetsData, ListDeviceTargetsResponse>('get', '/api/v1/device/{device_id}/targets', rows);
  answer<ListForwardersData, ListForwardersResponse>('get', '/api/v1/device/{device_id}/forwarder', {
    base: null,
    changeable: false,
    rows: [],
  });
  answer<GetConfigurationData, GetConfigurationResponse>('get', '/api/v1/device/{device_id}/configuration', {
    draft: null,
  } as never);
}

test('each target says how it stands, what it took, and what became of what it did not take', async () => {
  serve([REFUSED, ledger(), ledger({ name: 'new', kind: 'amqp', condition: 'paused' })]);
  await show(<ForwardingTab />, { permissions: MAY, at: AT });
  const rows = await screen.findAllByTestId('targets-row');
  const [bureau, usb, unknown] = rows.map(cellsOf);
  expect(bureau?.[0]).toBe('bureauHJ 212 platformRemoved in the draft');
  expect(bureau?.[1]).toMatch(/^DownSince .*As of /);
  expect(bureau?.[2]).toBe('The target does not accept what is sent.Technical detail: the platform says: wrong MN');
  expect(bureau?.slice(3, 7)).toEqual(['40 batches7 records', '122 later', '5', '–']);
  expect([usb?.[0], usb?.[2]]).toEqual(['usbFilesRemoved in the draft', '–']);
  expect(unknown?.[1]).toMatch(/^pausedSince/);
  const failures = screen.getAllByTestId('failures-row').map(cellsOf);
  expect(failures.map((cells) => [cells[0], cells[2], cells[3], cells[5]])).toEqual([
    ['bureau', 'Given up, never sent', '2051 08:30', '4'],
    ['bureau', 'Attempt failed, kept to be sent again', '2011', '1'],
    ['bureau', 'Attempt failed, given up later', '2051 08:30', '2'],
  ]);
  expect(failures.map((cells) => cells[4])).toEqual([
    'The target does not accept what is sent.Technical detail: wrong MN',
    'Sign-in or password is not right, or not set.Technical detail: wrong PW',
    'The target does not accept what is sent.Technical detail: wrong MN',
  ]);
});

test('a reason that nobody has words for is told in Chinese by its kind, and below it as it came', async () => {
  serve([ledger({ condition: 'down', reason: 'segment 7 came twice' })]);
  await show(<ForwardingTab />, { permissions: MAY, at: AT, language: 'zh' });
  const [, , reason] = cellsOf(await screen.findByTestId('targets-row'));
  expect(reason).toBe('其他原因，见技术信息。技术信息： segment 7 came twice');
  expect(screen.getByText('segment 7 came twice').getAttribute('lang')).toBe('en');
});

test('a connection that brought nothing yet is no success, and the next try is counted down', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const now = Date.now();
  serve([
    ledger({ condition: 'connected', reported_ms: now - 12_000 }),
    ledger({ name: 'b', condition: 'down', reason: 'timed out', next_try_ms: now + 24_000, reported_ms: now }),
    ledger({ name: 'c', condition: 'up', next_try_ms: now + 24_000, reported_ms: now }),
  ]);
  await show(<ForwardingTab />, { permissions: MAY, at: AT });
  const [connected, down, up] = (await screen.findAllByTestId('targets-row')) as [
    HTMLElement,
    HTMLElement,
    HTMLElement,
  ];
  const word = within(connected).getByText('Connected, nothing acknowledged yet');
  expect(word.closest('[data-tone]')?.getAttribute('data-tone')).toBe('warn');
  expect(within(connected).getByTestId('target-age').textContent).toMatch(/^As of 1\d s ago$/);
  expect(within(down).getByTestId('next-try').textContent).toMatch(/^Next try in 2\d s$/);
  expect(within(up).queryByTestId('next-try')).toBeNull();
  await vi.advanceTimersByTimeAsync(25_000);
  await waitFor(() => expect(within(down).getByTestId('next-try').textContent).toBe('Trying'));
  vi.useRealTimers();
});

test('what a gateway that is offline said last is of then', async () => {
  device(false);
  serve([ledger({ condition: 'down', reason: 'timed out', next_try_ms: Date.now() + 60_000 })]);
  await show(<ForwardingTab />, { permissions: MAY, at: AT });
  const row = await screen.findByTestId('targets-row');
  expect(within(row).getByText('Then: Down').closest('[data-tone]')?.getAttribute('data-tone')).toBe('off');
  expect(within(row).getByTestId('target-age').textContent).toBe(`Gateway offline: as of ${formatDateTime(T)}`);
  expect(within(row).queryByTestId('next-try')).toBeNull();
});

test('on a phone the card has all that matters', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) =>
      ({
        matches: query.includes('max-width'),
        media: query,
        addEventListener() {},
        removeEventListener() {},
      }) as never,
  );
  serve([{ ...REFUSED, last_ack_ms: T, next_try_ms: Date.now() + 60_000 }]);
  await show(<ForwardingTab />, { permissions: MAY, at: AT });
  const card = (await within(await screen.findByTestId('targets-cards')).findAllByTestId('targets-row'))[0];
  const said = card?.textContent ?? '';
  for (const part of ['Down', 'Next try in', 'the platform says: wrong MN', '40 batches', '7 records', '2 later'])
    expect(said).toContain(part);
  expect(said).toContain('Given up5');
  expect(said).toContain(`Last acknowledgement${formatDateTime(T)}`);
  expect(within(screen.getByTestId('failures-cards')).getAllByText('Given up, never sent')).toHaveLength(1);
  vi.restoreAllMocks();
});

test('who may trace gateways gets from a target to its packets', async () => {
  serve([ledger()]);
  const { unmount } = await show(<ForwardingTab />, { permissions: MAY, at: AT, flags: { ot: 1 } });
  await screen.findByTestId('targets-row');
  expect(screen.queryByTestId('target-watch')).toBeNull();
  unmount();
  const permissions = [...MAY, 'OtaManager', 'ota.Strace'];
  const off = await show(<ForwardingTab />, { permissions, at: AT, flags: { ot: 0 } });
  await screen.findByTestId('targets-row');
  expect(screen.queryByTestId('target-watch')).toBeNull();
  off.unmount();
  await show(<ForwardingTab />, { permissions, at: AT, flags: { ot: 1 } });
  const link = await screen.findByRole('link', { name: 'Watch packets of usb' });
  expect(link.getAttribute('href')).toBe('/ota/strace?gateway=7&source=usb');
});

test('figures that are rarely wanted come on demand', async () => {
  serve([REFUSED]);
  const { user } = await show(<ForwardingTab />, { permissions: MAY, at: AT });
  await screen.findByTestId('targets-row');
  expect(screen.queryByRole('columnheader', { name: 'Sent again' })).toBeNull();
  await user.click(screen.getByTestId('all-figures'));
  for (const name of ['Sent again', 'Failed attempts', 'Batches deleted unsent', 'Waiting, size'])
    expect(screen.getByRole('columnheader', { name })).toBeTruthy();
});

test('the address of an alarm marks its target', async () => {
  serve([REFUSED, ledger()]);
  await show(<ForwardingTab />, { permissions: MAY, at: `${AT}&shown=usb` });
  const rows = await screen.findAllByTestId('targets-row');
  expect(rows.map(({ dataset }) => dataset.shown)).toEqual(['false', 'true']);
  expect(screen.queryByTestId('form-drawer')).toBeNull();
});

test('no target is called removed while the draft cannot be read', async () => {
  serve([REFUSED]);
  refuse<ListForwardersData>('get', '/api/v1/device/{device_id}/forwarder', { status: 503, code: 20000 });
  await show(<ForwardingTab />, { permissions: MAY, at: AT });
  expect(await screen.findByTestId('error-state')).toBeTruthy();
  expect(await screen.findAllByTestId('failures-row')).toHaveLength(3);
  expect(screen.queryByText('Removed in the draft')).toBeNull();
});

test('without targets the tab says where they come from', async () => {
  serve([]);
  await show(<ForwardingTab />, { permissions: MAY, at: AT });
  expect(await screen.findByText('No targets')).toBeTruthy();
  expect(screen.queryByText('Deliveries that failed')).toBeNull();
});

test('the list over all gateways marks what is old and is filtered by the cloud', async () => {
  const row = (changes: Partial<GatewayTargetRow>): GatewayTargetRow => ({
    ...REFUSED,
    device_id: 7,
    device_title: 'Mill',
    gateway_id: 'gw-7',
    online: true,
    ...changes,
  });
  const calls = answer<ListTargetsData, ListTargetsResponse>('get', '/api/v1/forwarding/targets', {
    rows: [row({}), row({ device_id: 8, device_title: 'Oven', online: false })],
    total: 2,
  });
  await show(<TargetList />, { permissions: MAY, at: '/monitor/forwarding?condition=down&search=mn' });
  const [mill, oven] = await screen.findAllByTestId('targets-row');
  expect(Object.fromEntries(calls[0]?.query ?? [])).toMatchObject({ condition: 'down', search: 'mn', page: '1' });
  expect(within(mill as HTMLElement).queryByText(/Gateway offline/)).toBeNull();
  expect(within(oven as HTMLElement).getByText(/Gateway offline/)).toBeTruthy();
  const link = within(mill as HTMLElement).getByRole('link', { name: 'Mill' });
  expect(link.getAttribute('href')).toContain('device_id=7');
});

test('the list is asked for all that take no data', async () => {
  const calls = answer<ListTargetsData, ListTargetsResponse>('get', '/api/v1/forwarding/targets', {
    rows: [],
    total: 0,
  });
  await show(<TargetList />, { permissions: MAY, at: '/monitor/forwarding?condition=trouble' });
  await waitFor(() => expect(calls[0]?.query.get('condition')).toBe('trouble'));
  expect(screen.getByTestId('filter-condition')).toHaveProperty('value', 'Not taking data');
});
