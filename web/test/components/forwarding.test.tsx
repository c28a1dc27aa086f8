import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
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
import ForwardingTab from '@/features/forwarding/screens/ForwardingTab';
import TargetList from '@/features/forwarding/screens/TargetList';
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
    lost_batches: 0,
    delivered: 12,
    repeated: 0,
    rejected: 0,
    last_ack_ms: 0,
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
  repeated: 3,
  rejected: 5,
  rejects: [
    { t_ms: T + 60_000, record: '2051 08:30', reason: 'wrong MN', count: 4 },
    { t_ms: T, record: '2011', reason: 'wrong PW', count: 1 },
  ],
});

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

test('each target says how it stands, what it took, and what it refused with the reason', async () => {
  serve([REFUSED, ledger(), ledger({ name: 'new', kind: 'amqp', condition: 'paused' })]);
  await show(<ForwardingTab />, { permissions: MAY, at: AT });
  const rows = await screen.findAllByTestId('targets-row');
  const [bureau, usb, unknown] = rows.map(cellsOf);
  expect(bureau?.slice(0, 3)).toEqual([
    'bureauHJ 212 platformRemoved in the draft',
    'Down',
    'the platform says: wrong MN',
  ]);
  expect(bureau?.slice(4, 10)).toEqual(['40', '12', '3', '5', '0', '–']);
  expect(usb?.slice(0, 3)).toEqual(['usbFilesRemoved in the draft', 'Up', '–']);
  expect(unknown?.slice(0, 2)).toEqual(['newamqpRemoved in the draft', 'paused']);
  const rejects = screen.getAllByTestId('rejects-row').map(cellsOf);
  expect(rejects.map((cells) => cells.slice(1))).toEqual([
    ['bureau', '2051 08:30', 'wrong MN', '4'],
    ['bureau', '2011', 'wrong PW', '1'],
  ]);
});

test('no target is called removed while the draft cannot be read', async () => {
  serve([REFUSED]);
  refuse<ListForwardersData>('get', '/api/v1/device/{device_id}/forwarder', { status: 503, code: 20000 });
  await show(<ForwardingTab />, { permissions: MAY, at: AT });
  expect(await screen.findByTestId('error-state')).toBeTruthy();
  expect(await screen.findAllByTestId('rejects-row')).toHaveLength(2);
  expect(screen.queryByText('Removed in the draft')).toBeNull();
});

test('without targets the tab says where they come from', async () => {
  serve([]);
  await show(<ForwardingTab />, { permissions: MAY, at: AT });
  expect(await screen.findByText('No targets')).toBeTruthy();
  expect(screen.queryByText('Rejected records')).toBeNull();
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
