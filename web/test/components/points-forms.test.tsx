import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  AddPortData,
  AddPortResponse,
  AddSlaveData,
  AddSlaveResponse,
  ChangePortData,
  ChangePortResponse,
  ChangeSlaveData,
  ChangeSlaveResponse,
} from '@/api/generated/types.gen';
import PlaceForm from '@/features/points/components/PlaceForm';
import type { Opened } from '@/features/points/components/PlaceForm';
import type { Ports, Slaves } from '@/features/points/api';
import { answer, refuse } from './network';
import type { Call } from './network';
import { forms } from './protocols';
import { show } from './render';
import type { Rendered } from './render';

const PORT_URL = '/api/v1/device/{device_id}/port';
const SLAVE_URL = '/api/v1/device/{device_id}/slavedevice';
const saved = vi.fn();
const closed = vi.fn();
let portsMade: Call[];
let portsChanged: Call[];
let slavesMade: Call[];
let slavesChanged: Call[];

const PORTS = {
  rows: [
    { fields: { name: 'com1', type: 'COM', device: '/dev/ttyS1', baud: 2400, parity: 'E' } },
    { fields: { name: 'net1', type: 'NET', ip: '10.0.0.7' } },
  ],
} as unknown as Ports;
const SLAVES = {
  rows: [
    {
      fields: { name: 'slave1', title: 'Pump', port: 'net1', protocol: 'modbus_tcp', address: '1' },
      points: 3,
    },
    { fields: { name: 'meter1', port: 'com1', protocol: 'dlt645_2007', address: '202611210001' }, points: 1 },
  ],
} as unknown as Slaves;

beforeEach(() => {
  saved.mockReset();
  closed.mockReset();
  const none = {} as AddPortResponse['data'];
  portsMade = answer<AddPortData, AddPortResponse>('post', PORT_URL, none);
  portsChanged = answer<ChangePortData, ChangePortResponse>(
    'put',
    '/api/v1/device/{device_id}/port/{port_name}',
    none as ChangePortResponse['data'],
  );
  slavesMade = answer<AddSlaveData, AddSlaveResponse>('post', SLAVE_URL, {} as AddSlaveResponse['data']);
  slavesChanged = answer<ChangeSlaveData, ChangeSlaveResponse>(
    'put',
    '/api/v1/device/{device_id}/slavedevice/{slave_name}',
    {} as ChangeSlaveResponse['data'],
  );
});

function form(opened: Opened): Promise<Rendered> {
  return show(
    <PlaceForm
      deviceId={5}
      opened={opened}
      ports={PORTS}
      slaves={SLAVES}
      protocols={forms}
      onSaved={saved}
      onClose={closed}
    />,
  );
}

const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(name);
const save = (): HTMLElement => screen.getByTestId('form-save');
const isWrong = (name: string): Promise<void> =>
  waitFor(() => expect(field(name).getAttribute('aria-invalid')).toBe('true'));

async function fill({ user }: Rendered, name: string, text: string): Promise<void> {
  await user.clear(field(name));
  if (text !== '') await user.type(field(name), text);
}

async function choose({ user }: Rendered, name: string, title: string | RegExp): Promise<void> {
  await user.click(field(name));
  await user.click(await screen.findByRole('option', { name: title, hidden: true }));
}

test('a new serial port says only what differs from the default', async () => {
  const page = await form({ kind: 'port', was: null });
  await fill(page, 'port-name', 'com2');
  await fill(page, 'port-device', '/dev/ttyS2');
  await page.user.click(save());
  await waitFor(() => expect(portsMade).toHaveLength(1));
  expect(portsMade[0]?.body).toEqual({ name: 'com2', type: 'COM', device: '/dev/ttyS2' });
  await waitFor(() => expect(saved).toHaveBeenCalledWith({ kind: 'port', name: 'com2' }));
});

test('a protocol proposes the port that its devices are delivered with', async () => {
  const page = await form({ kind: 'port', was: null });
  await choose(page, 'port-protocol', /DL\/T ?645-2007/);
  expect(field('port-baud').value).toBe('2400');
  await fill(page, 'port-name', 'meters');
  await page.user.click(save());
  await waitFor(() => expect(portsMade[0]?.body).toMatchObject({ baud: 2400, parity: 'E' }));
});

test('a network port has an address and no baud rate', async () => {
  const page = await form({ kind: 'port', was: null });
  await choose(page, 'port-protocol', 'Modbus TCP');
  expect(screen.queryByTestId('port-baud')).toBeNull();
  await fill(page, 'port-name', 'net2');
  await fill(page, 'port-ip', '10.0.0.8');
  await fill(page, 'port-port', '1502');
  await page.user.click(save());
  await waitFor(() => expect(portsMade[0]?.body).toEqual(expect.objectContaining({ ip: '10.0.0.8', port: 1502 })));
  expect(portsMade[0]?.body).not.toHaveProperty('device');
});

test.each(['two words', '端口', 'x/y'])('no name of a port: "%s"', async (name) => {
  const page = await form({ kind: 'port', was: null });
  await fill(page, 'port-name', name);
  await page.user.click(save());
  await isWrong('port-name');
  expect(portsMade).toEqual([]);
});

test('of a port that is changed only the changes are sent', async () => {
  const page = await form({ kind: 'port', was: 'com1' });
  expect(field('port-baud').value).toBe('2400');
  expect(screen.queryByTestId('port-protocol')).toBeNull();
  await choose(page, 'port-baud', '9600');
  await page.user.click(save());
  await waitFor(() => expect(portsChanged).toHaveLength(1));
  expect(Object.keys(portsChanged[0]?.body as object)).toEqual(['baud']);
});

test('a refusal stands at the field of the port', async () => {
  refuse<AddPortData>('post', PORT_URL, { status: 409, data: { field: 'name', rule: 'is taken' } });
  const page = await form({ kind: 'port', was: null });
  await fill(page, 'port-name', 'com1');
  await page.user.click(save());
  await isWrong('port-name');
  expect(saved).not.toHaveBeenCalled();
});

test('a new slave has a free name and address, and speaks what the others of the port speak', async () => {
  const page = await form({ kind: 'slave', was: null, port: 'net1' });
  expect([field('slave-port').value, field('slave-address').value]).toEqual(['net1', '2']);
  expect(field('slave-protocol').value).toBe('Modbus TCP');
  expect(field('slave-name').value).not.toBe('slave1');
  await fill(page, 'slave-title', 'Fan');
  await page.user.click(save());
  await waitFor(() => expect(slavesMade).toHaveLength(1));
  expect(slavesMade[0]?.body).toMatchObject({ port: 'net1', protocol: 'modbus_tcp', address: '2', title: 'Fan' });
  for (const name of ['retries', 'response_timeout_ms', 'storage_cycle_s', 'enable', 'options'])
    expect(slavesMade[0]?.body).not.toHaveProperty(name);
});

test('a meter has no address that can be guessed', async () => {
  await form({ kind: 'slave', was: null, port: 'com1' });
  expect(field('slave-protocol').value).toMatch(/645-2007/);
  expect(['', 'AAAAAAAAAAAA']).toContain(field('slave-address').value);
});

test('an address that no meter has is refused at its field', async () => {
  const page = await form({ kind: 'slave', was: 'meter1' });
  await fill(page, 'slave-address', '12x');
  await page.user.click(save());
  await isWrong('slave-address');
  expect(slavesChanged).toEqual([]);
});

test('a text that is no meter goes with the change to a meter', async () => {
  const page = await form({ kind: 'slave', was: null, port: 'com1' });
  await choose(page, 'slave-protocol', 'Modbus RTU');
  await fill(page, 'slave-address', '7');
  await choose(page, 'slave-protocol', /645-2007/);
  expect(field('slave-address').value).not.toBe('7');
});

test('only protocols that the port can carry are offered', async () => {
  const page = await form({ kind: 'slave', was: null, port: 'com1' });
  await page.user.click(field('slave-protocol'));
  await screen.findByRole('option', { name: 'Modbus RTU', hidden: true });
  expect(screen.queryByRole('option', { name: 'Modbus TCP', hidden: true })).toBeNull();
});

test.each([
  ['15', true],
  ['20', false],
  ['0', false],
])('a storage cycle of %s s is refused: %s', async (cycle, refused) => {
  const page = await form({ kind: 'slave', was: 'slave1' });
  await fill(page, 'slave-storage', cycle);
  await fill(page, 'slave-title', 'Pump 2');
  await page.user.click(save());
  if (refused) {
    await isWrong('slave-storage');
    expect(slavesChanged).toEqual([]);
  } else {
    await waitFor(() => expect(slavesChanged).toHaveLength(1));
  }
});

test('of a slave that is changed only the changes are sent', async () => {
  const page = await form({ kind: 'slave', was: 'slave1' });
  await fill(page, 'slave-title', 'Pump 2');
  await page.user.click(save());
  await waitFor(() => expect(slavesChanged).toHaveLength(1));
  expect(slavesChanged[0]?.body).toEqual({ title: 'Pump 2' });
});

test('a copy takes the points along, and can be saved without a change', async () => {
  const page = await form({ kind: 'slave', was: null, copyOf: 'slave1' });
  await page.user.click(save());
  await waitFor(() => expect(slavesMade).toHaveLength(1));
  expect(slavesMade[0]?.body).toMatchObject({ points_of: 'slave1', address: '2', title: 'Pump' });
});

test('a model fills in rack and slot, and another one takes them back', async () => {
  const page = await form({ kind: 'slave', was: null, port: 'net1' });
  await choose(page, 'slave-protocol', /S7/);
  await choose(page, 'option-model', /1200/);
  await page.user.click(save());
  await waitFor(() => expect(slavesMade).toHaveLength(1));
  expect(slavesMade[0]?.body).toMatchObject({ options: { model: '1200' } });
});

test.each(['slave-name', 'slave-address'])('%s is needed', async (name) => {
  const page = await form({ kind: 'slave', was: 'slave1' });
  await fill(page, name, '');
  await page.user.click(save());
  await isWrong(name);
  expect(slavesChanged).toEqual([]);
});

test('closing with changes asks, without changes it does not', async () => {
  const page = await form({ kind: 'slave', was: 'slave1' });
  await fill(page, 'slave-title', 'Other');
  await page.user.keyboard('{Escape}');
  await page.user.click(await screen.findByTestId('confirm-no'));
  expect(closed).not.toHaveBeenCalled();
  page.unmount();
  const again = await form({ kind: 'slave', was: 'slave1' });
  await again.user.keyboard('{Escape}');
  await waitFor(() => expect(closed).toHaveBeenCalled());
});
