import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  CloseVirtualPortData,
  CloseVirtualPortResponse,
  GatewayPageData,
  GatewayPageResponse,
  TunnelRow,
  ListAllVirtualPortsData,
  ListAllVirtualPortsResponse,
  OpenVirtualPortData,
  OpenVirtualPortResponse,
} from '@/api/generated/types.gen';
import { addressOf, keepAddress } from '@/features/remote/addresses';
import { GatewayPage } from '@/features/remote/components/GatewayPage';
import { OpenPort } from '@/features/remote/components/OpenPort';
import { OpenSession } from '@/features/remote/components/OpenSession';
import { PastSessions } from '@/features/remote/components/PastSessions';
import type { Port } from '@/features/remote/ports';
import VirtualPorts from '@/features/remote/screens/VirtualPorts';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const PORT_URL = '/api/v1/device/vcom/{device_id}';
const PAGE_URL = '/api/v1/device/rproxy/{device_id}';
const COM: Port = {
  name: 'com1',
  type: 'COM',
  where: '/dev/ttyS1',
  line: { baud: 19_200, parity: 'E', data_bits: 8, stop_bits: 1 },
};
const NET: Port = { name: 'net1', type: 'NET', where: '10.0.0.2:502', line: { ...COM.line } };

function session(changes: Partial<TunnelRow> = {}): TunnelRow {
  return {
    lease: 's1',
    port: 'com1',
    mode: 'rfc2217',
    user: 'tester',
    address: '10.1.1.1',
    opened_ms: Date.now() - 60_000,
    expires_ms: Date.now() + 90_000,
    ended_ms: null,
    why: '',
    detail: '',
    bytes_to_gateway: 0,
    bytes_from_gateway: 0,
    ...changes,
  };
}

let opened: Call[];

beforeEach(() => {
  sessionStorage.clear();
  opened = answer<OpenVirtualPortData, OpenVirtualPortResponse>('post', PORT_URL, {
    lease: 's9',
    host: '0.0.0.0',
    port: 4711,
    expires_ms: Date.now() + 60_000,
  });
});

const button = (name: string): HTMLButtonElement => screen.getByTestId<HTMLButtonElement>(name);

function open(changes: Partial<Parameters<typeof OpenPort>[0]> = {}): Promise<Rendered> {
  return show(<OpenPort deviceId={1} online ports={[COM, NET]} openSessions={[]} hindrance="" {...changes} />);
}

test('a port with its own settings is opened without them; the address is remembered', async () => {
  const { user } = await open();
  await user.click(button('open-port'));
  await waitFor(() => expect(opened).toHaveLength(1));
  expect(opened[0]?.body).toEqual({ port: 'com1', mode: 'rfc2217', idle_s: 600, longest_s: 3_600 });
  await waitFor(() => expect(addressOf('s9')).toEqual({ host: '0.0.0.0', port: 4711 }));
});

test('other settings of the line are sent with all of them', async () => {
  const { user } = await open();
  await user.click(button('vcom-baud'));
  await user.click(await screen.findByRole('option', { name: '115200', hidden: true }));
  await user.click(within(screen.getByTestId('vcom-mode')).getAllByRole('radio')[1] as HTMLElement);
  await user.click(button('open-port'));
  await waitFor(() =>
    expect(opened[0]?.body).toMatchObject({ mode: 'raw', baud: 115_200, parity: 'E', data_bits: 8, stop_bits: 1 }),
  );
});

test('a network port has no settings of a line and no RFC 2217', async () => {
  const { user } = await open({ wants: 'NET' });
  expect(screen.queryByTestId('vcom-baud')).toBeNull();
  expect(within(screen.getByTestId('vcom-mode')).getAllByRole('radio')).toHaveLength(1);
  await user.click(button('open-port'));
  await waitFor(() => expect(opened[0]?.body).toEqual({ port: 'net1', mode: 'raw', idle_s: 600, longest_s: 3_600 }));
});

test('without a known configuration the name of the port is typed, and checked', async () => {
  const { user } = await open({ ports: null });
  expect(button('open-port').disabled).toBe(true);
  await user.type(button('vcom-port'), 'com 1');
  expect(button('open-port').disabled).toBe(true);
  await user.clear(button('vcom-port'));
  await user.type(button('vcom-port'), 'com_1');
  await user.click(button('open-port'));
  await waitFor(() => expect(opened[0]?.body).toMatchObject({ port: 'com_1', baud: 9600, parity: 'N' }));
});

test.each([
  ['the gateway is offline', { online: false }],
  ['it is not allowed', { hindrance: 'No permission' }],
] as const)('nothing is opened while %s', async (_why, changes) => {
  const { user } = await open({ ...changes, ports: [COM] });
  expect(button('open-port').disabled).toBe(true);
  await user.click(button('open-port'));
  expect(opened).toEqual([]);
});

test('a port that somebody has is not opened, and says who has it', async () => {
  const { user } = await open({ openSessions: [session({ user: 'Li' })] });
  expect(button('open-port').disabled).toBe(false);
  await user.click(button('vcom-port'));
  await user.click(await screen.findByRole('option', { name: /^com1/, hidden: true }));
  expect(button('open-port').disabled).toBe(true);
  expect(screen.getByTestId('open-port-form').textContent).toContain('Li');
});

test('a port that cannot be opened says why in its place', async () => {
  refuse<OpenVirtualPortData>('post', PORT_URL, { status: 409, code: 20_000, data: { message: 'port is busy' } });
  const { user } = await open();
  await user.click(button('open-port'));
  expect((await screen.findByTestId('remote-error')).textContent).toContain('port is busy');
  expect(addressOf('s9')).toBeNull();
});

test('an open session says where to connect: the portal itself for a cloud that listens everywhere', async () => {
  keepAddress('s1', { host: '0.0.0.0', port: 4711 });
  await show(<OpenSession deviceId={1} session={session({ bytes_to_gateway: 1_200 })} hindrance="" />);
  expect(screen.getByTestId('lease-address').textContent).toBe('portal.test:4711');
  expect(screen.getByTestId('lease').textContent).toContain('rfc2217://portal.test:4711');
  expect(screen.getByTestId('lease-left').textContent).toMatch(/^1:(29|30)$/);
  expect(screen.getByTestId('lease').textContent).toContain('1.2 kB');
});

test('a session of another browser has no address here, and is closed all the same', async () => {
  const closed = answer<CloseVirtualPortData, CloseVirtualPortResponse>('delete', `${PORT_URL}/{lease}`, session());
  const { user } = await show(<OpenSession deviceId={1} session={session({ mode: 'raw' })} hindrance="" />);
  expect(screen.queryByTestId('lease-address')).toBeNull();
  await user.click(button('close-port'));
  await waitFor(() => expect(closed).toHaveLength(1));
});

test('who may not close a session sees why', async () => {
  await show(<OpenSession deviceId={1} session={session()} hindrance="Shared for reading" />);
  expect(button('close-port').disabled).toBe(true);
  expect(button('close-port').title).toBe('Shared for reading');
});

test.each([
  [{ why: 'idle' }, 'en', /unused|idle/i],
  [{ why: 'unheard_of', detail: 'line 7' }, 'en', /unheard_of.*line 7/],
  [{ why: 'done', detail: 'closed by Li' }, 'en', /Li/],
  [{ why: 'done', detail: 'closed by Li' }, 'zh', /Li.*关闭/],
] as const)('a past session of %o ended for a reason in words (%s)', async (changes, language, words) => {
  await show(<PastSessions sessions={[session({ ended_ms: Date.now(), ...changes })]} />, { language });
  const cells = within(screen.getByTestId('past-lease')).getAllByRole('cell');
  expect(cells.at(-1)?.textContent).toMatch(words);
});

test('no session was ever open: the table is replaced by words', async () => {
  await show(<PastSessions sessions={[]} />);
  expect(screen.getByTestId('empty-state')).toBeTruthy();
  expect(screen.queryByTestId('past-leases')).toBeNull();
});

test('all sessions: those that are open are filtered in the cloud', async () => {
  const calls = answer<ListAllVirtualPortsData, ListAllVirtualPortsResponse>('get', '/api/v1/device/vcom', {
    rows: [{ ...session(), device_id: 1, device_title: '', gateway_id: 'gw-1' }],
    total: 1,
  });
  await show(<VirtualPorts />, { at: '/?living=true&search=com' });
  expect((await screen.findByTestId('leases-row')).textContent).toContain('gw-1');
  expect(calls[0]?.query.get('living')).toBe('true');
  expect(calls[0]?.query.get('search')).toBe('com');
});

async function page(state: GatewayPageResponse['data'], at = '/', changes = {}): Promise<Rendered> {
  answer<GatewayPageData, GatewayPageResponse>('get', PAGE_URL, ({ query }) =>
    query.get('mode') === 'open' ? { open: true, user: 'tester', url: 'https://gw.example/p' } : state,
  );
  return show(<GatewayPage deviceId={1} online hindrance="" {...changes} />, { at });
}

test('the page of the gateway opens in a window that cannot reach back, at the frames of the slave', async () => {
  const replace = vi.fn();
  const other = { opener: window, location: { replace }, close: vi.fn() };
  vi.spyOn(window, 'open').mockReturnValue(other as unknown as Window);
  const { user } = await page({ open: false }, '/?frames=boiler');
  await user.click(button('open-page'));
  await waitFor(() => expect(replace).toHaveBeenCalledWith('https://gw.example/p#frames=boiler'));
  expect(other.opener).toBeNull();
  expect(await screen.findByTestId('page-lease')).toBeTruthy();
});

test('a window that the browser blocks is replaced by a link', async () => {
  vi.spyOn(window, 'open').mockReturnValue(null);
  const { user } = await page({ open: false });
  await user.click(button('open-page'));
  expect((await screen.findByTestId('page-link')).getAttribute('href')).toBe('https://gw.example/p');
});

test('a page that cannot be opened closes its window again and says why', async () => {
  const close = vi.fn();
  vi.spyOn(window, 'open').mockReturnValue({ close } as unknown as Window);
  const { user } = await page({ open: false });
  refuse<GatewayPageData>('get', PAGE_URL, { status: 409, code: 20_000, data: { message: 'no tunnel' } });
  await user.click(button('open-page'));
  expect((await screen.findByTestId('remote-error')).textContent).toContain('no tunnel');
  expect(close).toHaveBeenCalled();
});

test('while somebody else has the page it is not opened', async () => {
  await page({ open: true, user: 'Li', expires_ms: Date.now() + 30_000 });
  expect((await screen.findByTestId('page-lease')).textContent).toContain('Li');
  expect(button('open-page').disabled).toBe(true);
  expect(button('close-page').disabled).toBe(false);
});
