import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type {
  AddPortData,
  AddPortResponse,
  AddSlaveData,
  AddSlaveResponse,
  CreateDeviceData,
  CreateDeviceResponse,
  GetConfigurationData,
  GetConfigurationResponse,
  GetDeviceData,
  GetDeviceResponse,
  GetGatewayBrokerData,
  GetGatewayBrokerResponse,
  GetLastValuesData,
  GetLastValuesResponse,
  GetOptionData,
  GetOptionResponse,
  ListDataSourcesData,
  ListDataSourcesResponse,
  ListDevicesData,
  ListDevicesResponse,
  ListPortsData,
  ListPortsResponse,
  ListProjectsData,
  ListProjectsResponse,
  ListSlavesData,
  ListSlavesResponse,
} from '@/api/generated/types.gen';
import AddDevice from '@/features/devices/screens/AddDevice';
import { EMPTY_WIZARD, keepDraft } from '@/features/devices/wizard';
import type { WizardDraft } from '@/features/devices/wizard';
import { newSlave } from '@/features/devices/wizardSlaves';
import { device } from './fixtures';
import { answer, refuse } from './network';
import type { Call } from './network';
import { answerProtocols, forms } from './protocols';
import { show } from './render';
import type { Rendered } from './render';

const AT = '/device/addDevice';
const MAY = ['DeviceManage', 'Monitor.DeviceMonitor'];
let searched: Call[];
let created: Call[];
let ports: Call[];
let slaves: Call[];

beforeEach(() => {
  sessionStorage.clear();
  searched = answer<ListDevicesData, ListDevicesResponse>('get', '/api/v1/device', { rows: [], total: 0 });
  answer<ListProjectsData, ListProjectsResponse>('get', '/api/v1/project', {
    nodes: [],
  } as unknown as ListProjectsResponse['data']);
  const made = device({ id: 7, gateway_id: 'GW-0007', link: { online: false, since_ms: null, reason: '' } });
  created = answer<CreateDeviceData, CreateDeviceResponse>('post', '/api/v1/device', {
    device: made,
    secret: 'once-shown-secret',
  });
  answer<GetDeviceData, GetDeviceResponse>('get', '/api/v1/device/{device_id}', {
    ...made,
    created_ms: Date.now(),
    presence: { code: 'never' },
  } as GetDeviceResponse['data']);
  answer<GetGatewayBrokerData, GetGatewayBrokerResponse>('get', '/api/v1/device/broker', {
    url: 'mqtts://cloud.example:8883',
    is_local: false,
    is_set: true,
  });
  answer<ListPortsData, ListPortsResponse>('get', '/api/v1/device/{device_id}/port', {
    rows: [],
  } as unknown as ListPortsResponse['data']);
  answer<ListSlavesData, ListSlavesResponse>('get', '/api/v1/device/{device_id}/slavedevice', {
    rows: [],
  } as unknown as ListSlavesResponse['data']);
  ports = answer<AddPortData, AddPortResponse>(
    'post',
    '/api/v1/device/{device_id}/port',
    {} as AddPortResponse['data'],
  );
  slaves = answer<AddSlaveData, AddSlaveResponse>(
    'post',
    '/api/v1/device/{device_id}/slavedevice',
    {} as AddSlaveResponse['data'],
  );
  answer<GetConfigurationData, GetConfigurationResponse>('get', '/api/v1/device/{device_id}/configuration', {
    running: null,
    draft: null,
    deployment: null,
    versions: [],
    total: 0,
  } as unknown as GetConfigurationResponse['data']);
  answer<ListDataSourcesData, ListDataSourcesResponse>('get', '/api/v1/device/dss', {
    rows: [],
    total: 0,
  } as unknown as ListDataSourcesResponse['data']);
  answer<GetLastValuesData, GetLastValuesResponse>('get', '/api/v1/device/lastdps', {
    rows: [],
  } as unknown as GetLastValuesResponse['data']);
  answer<GetOptionData, GetOptionResponse>('get', '/api/v1/option', {
    name: 'gateway_brand',
    value: null,
  } as unknown as GetOptionResponse['data']);
  answerProtocols();
});

function wizard(step = '', permissions = MAY): Promise<Rendered> {
  return show(<AddDevice />, { permissions, at: step === '' ? AT : `${AT}?step=${step}` });
}

const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(name);
const step = (): string | undefined => screen.getByTestId('wizard-step').dataset.step;
const isWrong = (name: string): Promise<void> =>
  waitFor(() => expect(field(name).getAttribute('aria-invalid')).toBe('true'));

/** The step of the devices behind the gateway, once it knows the protocols. */
async function points(permissions = MAY): Promise<Rendered> {
  const page = await wizard('points', permissions);
  await screen.findByTestId('wizard-add-slave');
  return page;
}

function begun(more: Partial<WizardDraft> = {}): void {
  keepDraft(sessionStorage, { ...EMPTY_WIZARD, gateway_id: 'GW-0007', device_title: 'Boiler house', ...more });
}

const slave = (protocol: string): WizardDraft['slaves'][number] =>
  newSlave(
    [],
    forms.find(({ name }) => name === protocol)!,
    forms,
  );

test('a serial number and a title are needed; what is wrong is marked, and the step stays', async () => {
  const { user } = await wizard();
  await user.click(screen.getByTestId('wizard-next'));
  await isWrong('device-gateway');
  await isWrong('device-device_title');
  expect(field('device-gateway').maxLength).toBe(40);
  expect(step()).toBe('basic');
});

test.each(['gw', '-gw1', 'gw 1', '网关1'])('no serial number: %s', async (typed) => {
  const { user } = await wizard();
  await user.type(field('device-device_title'), 'Boiler');
  await user.click(field('device-gateway'));
  await user.paste(typed);
  await user.click(screen.getByTestId('wizard-next'));
  await isWrong('device-gateway');
});

test('a serial number that is taken is told when its field is left, and asked for once', async () => {
  answer<ListDevicesData, ListDevicesResponse>('get', '/api/v1/device', {
    rows: [{ gateway_id: 'GW-0001' }],
    total: 1,
  } as unknown as ListDevicesResponse['data']);
  const { user } = await wizard();
  await user.type(field('device-gateway'), 'GW-0001');
  await user.type(field('device-device_title'), 'Boiler');
  await isWrong('device-gateway');
  await user.click(screen.getByTestId('wizard-next'));
  expect(step()).toBe('basic');
});

test('another gateway whose number only begins alike does not hinder', async () => {
  answer<ListDevicesData, ListDevicesResponse>('get', '/api/v1/device', {
    rows: [{ gateway_id: 'GW-00012' }],
    total: 1,
  } as unknown as ListDevicesResponse['data']);
  const { user } = await wizard();
  await user.type(field('device-gateway'), 'GW-0001');
  await user.type(field('device-device_title'), 'Boiler');
  await user.click(screen.getByTestId('wizard-next'));
  await waitFor(() => expect(step()).toBe('points'));
});

test('without an answer about the number the way goes on: the making tells', async () => {
  refuse<ListDevicesData>('get', '/api/v1/device', { status: 500 });
  const { user } = await wizard();
  await user.type(field('device-gateway'), 'GW-0001');
  await user.type(field('device-device_title'), 'Boiler');
  await user.click(screen.getByTestId('wizard-next'));
  await waitFor(() => expect(step()).toBe('points'));
  expect(searched).toEqual([]);
});

test.each(['points', 'gateway', 'project', 'done'])(
  'a later step without the first one leads to it: %s',
  async (to) => {
    await wizard(to);
    expect(step()).toBe('basic');
  },
);

test('what was entered survives a reload, but for the passwords', async () => {
  begun({ access_password: 'secret', slaves: [{ ...slave('dlt645_2007'), options: { password: '12345678' } }] });
  await points();
  expect(step()).toBe('points');
  expect(screen.getAllByTestId('wizard-slave-card')).toHaveLength(1);
  expect(JSON.stringify({ ...sessionStorage })).not.toMatch(/12345678|"secret"/);
});

test('a kept draft that cannot be read is an empty one', async () => {
  sessionStorage.setItem('edge.add-device', '{"slaves": "x", ');
  await wizard();
  expect(field('device-gateway').value).toBe('');
});

test('back and next keep what was entered', async () => {
  begun();
  const { user } = await points();
  await user.click(screen.getByTestId('wizard-add-slave'));
  await user.click(screen.getByTestId('wizard-back'));
  await waitFor(() => expect(step()).toBe('basic'));
  expect(field('device-gateway').value).toBe('GW-0007');
  await user.click(screen.getByTestId('wizard-next'));
  await waitFor(() => expect(step()).toBe('points'));
  expect(await screen.findAllByTestId('wizard-slave-card')).toHaveLength(1);
});

test('a device is added, duplicated on the same line, and removed; the other inherits the port', async () => {
  begun({ slaves: [slave('modbus_rtu')] });
  const { user } = await points();
  await user.click(screen.getByTestId('wizard-duplicate'));
  await waitFor(() => expect(screen.getAllByTestId('wizard-slave-card')).toHaveLength(2));
  const names = screen.getAllByTestId<HTMLInputElement>('wizard-slave').map(({ value }) => value);
  expect(new Set(names).size).toBe(2);
  expect(screen.getAllByTestId('wizard-device')).toHaveLength(1);
  await user.click(screen.getAllByTestId('wizard-remove')[0] as HTMLElement);
  await waitFor(() => expect(screen.getAllByTestId('wizard-slave-card')).toHaveLength(1));
  expect(screen.getAllByTestId('wizard-device')).toHaveLength(1);
});

test('faults of devices stand at their fields', async () => {
  begun({ slaves: [{ ...slave('modbus_tcp'), name: '' }] });
  const { user } = await points();
  await user.click(screen.getByTestId('wizard-next'));
  await isWrong('wizard-slave');
  await isWrong('wizard-host');
  expect(step()).toBe('points');
  await user.type(field('wizard-slave'), 'plc');
  await user.type(field('wizard-host'), '10.0.0.7');
  await user.click(screen.getByTestId('wizard-next'));
  await waitFor(() => expect(step()).toBe('gateway'));
});

test.each([
  ['wizard-port', '0'],
  ['wizard-port', '65536'],
  ['wizard-address', ''],
])('what a connection refuses: %s "%s"', async (name, typed) => {
  const tcp = slave('modbus_tcp');
  begun({ slaves: [{ ...tcp, port: { ...tcp.port, host: '10.0.0.7' } }] });
  const { user } = await points();
  await user.clear(await screen.findByTestId(name));
  if (typed !== '') await user.type(field(name), typed);
  await user.click(screen.getByTestId('wizard-next'));
  await isWrong(name);
  expect(step()).toBe('points');
});

test('another protocol brings its own connection', async () => {
  begun({ slaves: [slave('modbus_rtu')] });
  const { user } = await points();
  await user.click(await screen.findByTestId('wizard-protocol'));
  await user.click(await screen.findByRole('option', { name: 'Modbus TCP', hidden: true }));
  expect(await screen.findByTestId('wizard-host')).toBeTruthy();
  expect(field('wizard-port').value).toBe('502');
  expect(screen.queryByTestId('wizard-device')).toBeNull();
});

test('a port by network or serial, as the protocol allows', async () => {
  begun({ slaves: [slave('modbus_rtu')] });
  const { user } = await points();
  expect((await screen.findByTestId<HTMLInputElement>('wizard-device')).value).toBe('/dev/ttyS1');
  await user.click(screen.getByTestId('wizard-connection'));
  const offered = (await screen.findAllByRole('option', { hidden: true })).map(({ textContent }) => textContent);
  expect(offered.length).toBeGreaterThan(0);
});

test('protocols that cannot be read are told of, and asked for again', async () => {
  begun();
  refuse<{ url: '/api/v1/device/protocol' }>('get', '/api/v1/device/protocol', {
    status: 500,
    code: 20_000,
    data: { message: 'no disk' },
  });
  const { user } = await wizard('points');
  await waitFor(() =>
    expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toContainEqual(
      expect.stringContaining('no disk'),
    ),
  );
  answerProtocols();
  await user.click(screen.getByRole('button', { name: /again|retry/i }));
  expect(await screen.findByTestId('wizard-no-slaves')).toBeTruthy();
});

test('who may not use templates is offered none', async () => {
  begun({ slaves: [slave('modbus_tcp')] });
  await points();
  expect(await screen.findByTestId('wizard-slave-card')).toBeTruthy();
  expect(screen.queryByTestId('wizard-point-template')).toBeNull();
});

test('who may use templates is offered them', async () => {
  begun({ slaves: [slave('modbus_tcp')] });
  await points([...MAY, 'DeviceTemplate']);
  expect(await screen.findByTestId('wizard-point-template')).toBeTruthy();
  expect(screen.getAllByLabelText<HTMLInputElement>('Point template')[0]?.placeholder).toBe('points added later');
  expect(field('wizard-host').getAttribute('aria-required')).toBe('true');
});

test('the last step sums up and makes gateway, port and device in their order; the secret is shown once', async () => {
  const tcp = slave('modbus_tcp');
  begun({ slaves: [{ ...tcp, name: 'plc1', port: { ...tcp.port, host: '10.0.0.7' } }] });
  const { user } = await wizard('project');
  expect(await screen.findAllByTestId('wizard-sum-slave')).toHaveLength(1);
  await user.click(screen.getByTestId('wizard-next'));
  await user.click(await screen.findByTestId('secret-show'));
  expect(screen.getByTestId('secret').textContent).toBe('once-shown-secret');
  expect(created).toHaveLength(1);
  expect(created[0]?.body).toMatchObject({ gateway_id: 'GW-0007', device_title: 'Boiler house' });
  expect(ports[0]?.body).toMatchObject({ type: 'NET', ip: '10.0.0.7', port: 502 });
  expect(slaves[0]?.body).toMatchObject({ name: 'plc1', protocol: 'modbus_tcp', address: '1' });
  expect(sessionStorage.getItem('edge.add-device')).toBeNull();
  expect(screen.queryByTestId('wizard-missing')).toBeNull();
});

test('a port that is refused: its device waits for another try, which makes both', async () => {
  const tcp = slave('modbus_tcp');
  begun({ slaves: [{ ...tcp, name: 'plc1', port: { ...tcp.port, host: '10.0.0.7' } }] });
  refuse<AddPortData>('post', '/api/v1/device/{device_id}/port', {
    status: 400,
    code: 20_000,
    data: { message: 'port in use' },
  });
  const { user } = await wizard('project');
  await user.click(await screen.findByTestId('wizard-next'));
  const missing = await screen.findByTestId('wizard-missing');
  expect(within(missing).getAllByRole('listitem')).toHaveLength(2);
  expect(missing.textContent).toContain('port in use');
  expect(slaves).toEqual([]);
  const again = answer<AddPortData, AddPortResponse>(
    'post',
    '/api/v1/device/{device_id}/port',
    {} as AddPortResponse['data'],
  );
  await user.click(screen.getByTestId('wizard-try'));
  await waitFor(() => expect(screen.queryByTestId('wizard-missing')).toBeNull());
  expect([again.length, slaves.length, created.length]).toEqual([1, 1, 1]);
});

test('a refusal of the serial number at the end leads back to its field', async () => {
  begun();
  refuse<CreateDeviceData>('post', '/api/v1/device', {
    status: 409,
    code: 10_002,
    data: { field: 'gateway_id', rule: 'is known already' },
  });
  const { user } = await wizard('project');
  await user.click(await screen.findByTestId('wizard-next'));
  await waitFor(() => expect(step()).toBe('basic'));
  await isWrong('device-gateway');
});

test('a refusal that no field shows stands at the foot', async () => {
  begun();
  refuse<CreateDeviceData>('post', '/api/v1/device', { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user } = await wizard('project');
  await user.click(await screen.findByTestId('wizard-next'));
  expect((await screen.findByTestId('wizard-trouble')).textContent).toContain('disk full');
  expect(step()).toBe('project');
});

test('after a reload of the last page the secret is gone, and the page says so', async () => {
  await show(<AddDevice />, { permissions: MAY, at: `${AT}?step=done&id=7` });
  expect((await screen.findByTestId('ready-broker')).textContent).toContain('mqtts://cloud.example:8883');
  expect(screen.queryByTestId('secret')).toBeNull();
  expect(screen.queryByTestId('secret-show')).toBeNull();
  expect(screen.getByTestId('ready-file').textContent).toContain('GW-0007');
});

test('a broker that is not set is told of', async () => {
  answer<GetGatewayBrokerData, GetGatewayBrokerResponse>('get', '/api/v1/device/broker', {
    url: 'mqtt://127.0.0.1:1883',
    is_local: true,
    is_set: false,
  });
  await show(<AddDevice />, { permissions: MAY, at: `${AT}?step=done&id=7` });
  expect(await screen.findByTestId('ready-broker-hint')).toBeTruthy();
});

test('another gateway begins empty', async () => {
  const { user } = await show(<AddDevice />, { permissions: MAY, at: `${AT}?step=done&id=7` });
  await user.click(await screen.findByTestId('wizard-again'));
  await waitFor(() => expect(step()).toBe('basic'));
  expect(field('device-gateway').value).toBe('');
});
