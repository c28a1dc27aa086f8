import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  GetDeviceData,
  ListCommandsData,
  ListCommandsResponse,
  ListDataSourcesData,
  ListOnOfflineLogData,
  ListOnOfflineLogResponse,
} from '@/api/generated/types.gen';
import { slave } from './fixtures';
import {
  address,
  answerAll,
  answerGateway,
  asks,
  cells,
  COMMANDS,
  DEVICE,
  field,
  given,
  LOG,
  page,
} from './monitor-fixtures';
import { answer, refuse } from './network';

beforeEach(answerGateway);

const tabs = (): (string | undefined)[] =>
  screen.getAllByRole('tab').map(({ dataset }) => dataset.testid?.replace('tab-', ''));
const active = (): string | undefined =>
  screen.getAllByRole('tab').find((tab) => tab.getAttribute('aria-selected') === 'true')?.dataset.testid;

test('the tabs stand in the order of the specification, those of other features behind them', async () => {
  await page('device_id=1');
  await screen.findByTestId('live-table');
  expect(tabs()).toEqual([
    'slaves',
    'live',
    'chart',
    'command',
    'cmdlog',
    'history',
    'alarm',
    'onoff',
    'info',
    'completeness',
    'forwarding',
    'internalSlave',
    'loopWrites',
    'configuration',
    'remote',
  ]);
  expect(active()).toBe('tab-live');
});

test('announced tabs are there once the platform shows them, and say what they will be', async () => {
  await page('device_id=1&tab=camera', { announced: true });
  expect((await screen.findByTestId('empty-state')).textContent).toBe(
    'Camera is not available yetThe cameras of this device will be shown here.',
  );
  expect(tabs()).toEqual(expect.arrayContaining(['scada', 'camera']));
  expect(active()).toBe('tab-camera');
});

test('who lacks a permission has fewer tabs, and an address of another one opens the live values', async () => {
  await page('device_id=1&tab=history', { permissions: ['Monitor.DeviceMonitor'] });
  await screen.findByTestId('live-table');
  expect(tabs()).toEqual([
    'slaves',
    'live',
    'command',
    'cmdlog',
    'onoff',
    'info',
    'completeness',
    'forwarding',
    'internalSlave',
    'loopWrites',
    'configuration',
  ]);
  expect(active()).toBe('tab-live');
});

test('the chosen tab stands in the address beside the device', async () => {
  answer<ListCommandsData, ListCommandsResponse>('get', COMMANDS, { rows: [], total: 0 });
  const { user } = await page('device_id=1');
  await user.click(await screen.findByTestId('tab-cmdlog'));
  expect((await screen.findByTestId('empty-state')).textContent).toBe('No commands yet');
  expect(address()).toEqual({ device_id: '1', tab: 'cmdlog' });
  window.history.back();
  await waitFor(() => expect(active()).toBe('tab-live'));
});

test('an arrow key moves along the tabs without opening them', async () => {
  const { user } = await page('device_id=1');
  await screen.findByTestId('live-table');
  screen.getByTestId('tab-live').focus();
  await user.keyboard('{ArrowRight}');
  expect(document.activeElement).toBe(screen.getByTestId('tab-chart'));
  expect(active()).toBe('tab-live');
});

test('tabs that do not fit are in a menu, which names the open one and opens others', async () => {
  class Seen {
    constructor(readonly look: (entries: readonly never[]) => void) {}
    observe(): void {
      this.look([]);
    }
    unobserve(): void {}
    disconnect(): void {}
  }
  vi.stubGlobal('ResizeObserver', Seen);
  const width = vi.spyOn(HTMLElement.prototype, 'scrollWidth', 'get').mockReturnValue(900);
  try {
    answer<ListOnOfflineLogData, ListOnOfflineLogResponse>('get', LOG, { rows: [], total: 0 });
    const { user } = await page('device_id=1');
    const more = await screen.findByTestId('tabs-all');
    expect(more.textContent).toBe('All tabs (15)');
    await user.click(more);
    expect((await screen.findByTestId('tabs-all-live')).getAttribute('aria-current')).toBe('true');
    expect(screen.getByTestId('tabs-all-onoff').getAttribute('aria-current')).toBeNull();
    await user.click(screen.getByTestId('tabs-all-onoff'));
    expect((await screen.findByTestId('empty-state')).textContent).toContain('No outages in this period');
    expect(active()).toBe('tab-onoff');
  } finally {
    width.mockRestore();
  }
});

test('tabs that fit need no menu', async () => {
  await page('device_id=1');
  await screen.findByTestId('live-table');
  expect(screen.queryByTestId('tabs-all')).toBeNull();
});

test.each(['', 'device_id=', 'device_id=0', 'device_id=1.5', 'device_id=boiler'])(
  'an address without a device (%j) says so and asks for nothing',
  async (search) => {
    await page(search);
    expect(screen.getByTestId('empty-state').textContent).toContain('The address has no device number');
    expect(asks).toEqual([]);
  },
);

test('a device that is gone leads to the start page', async () => {
  refuse<GetDeviceData>('get', DEVICE, { status: 404, code: 20_000 });
  const { user, went } = await page('device_id=1&tab=info');
  expect((await screen.findByTestId('device-gone')).textContent).toContain('This device no longer exists');
  await user.click(screen.getByTestId('device-gone-start'));
  expect(went()).toBe('/');
});

test('a device that cannot be read is asked for again', async () => {
  refuse<GetDeviceData>('get', DEVICE, { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user } = await page('device_id=1');
  const trouble = await screen.findByTestId('error-state');
  expect(trouble.textContent).toContain('disk full');
  answerAll();
  await user.click(within(trouble).getByRole('button'));
  expect(await screen.findByTestId('live-table')).toBeTruthy();
});

test('the head says who it is and how complete its data is, never rounded up, and leads to the gaps', async () => {
  given.gateway = { received_batches: 1_999_999, missing_batches: 0 };
  const { user } = await page('device_id=1&tab=info');
  const head = within(await screen.findByTestId('page-head'));
  expect(head.getByRole('heading', { level: 1 }).textContent).toBe('Boiler house');
  expect((await head.findByTestId('collection-share')).textContent).toBe('99.999 %, missed reads: 2');
  expect(head.getByTestId('transport-share').textContent).toBe('99.183 %, 2 missing');
  expect(screen.getByTestId('page-head').textContent).toContain('Transport (24 h)99.183 %');
  await user.click(head.getByTestId('collection-share'));
  await waitFor(() => expect(address().tab).toBe('completeness'));
});

test('a clock that is right about the year has a valid time', async () => {
  given.gateway = { clock_set: true };
  await page('device_id=1&tab=info');
  expect((await screen.findByText('Gateway clock')).parentElement?.textContent).toBe('Gateway clockvalid time');
});

test('the information says what the gateway has received, lost and written', async () => {
  given.gateway = { written_bytes_day: null, clock_set: false, refusal: 'wrong_secret', stream: '' };
  await page('device_id=1&tab=info');
  const facts = Object.fromEntries(
    [...(await screen.findByTestId('device-info')).querySelectorAll('div')].map((fact) => [
      fact.querySelector('dt')?.textContent,
      fact.querySelector('dd')?.textContent,
    ]),
  );
  expect(facts).toMatchObject({
    'Batches received': '100',
    'Duplicate batches (removed)': '3',
    'Batches overwritten, storage full': '4',
    'Samples dropped by the gateway': '5',
    'Gateway clock': 'not set',
    'Written to storage per day': '–',
    'Data stream ID': '–',
    'Reason for refusal': 'wrong access secret',
  });
});

test('live values stand below their slaves and are filtered by words of both, in the address', async () => {
  const { user } = await page('device_id=1');
  expect(await screen.findByTestId('value-pressure_setpoint')).toBeTruthy();
  await waitFor(() => expect(screen.getByTestId('value-pressure_setpoint').textContent).toBe('1.20'));
  expect(screen.getByTestId('live-bar').textContent).toContain('2 points');
  await user.type(field('live-filter'), 'TANK lev');
  await waitFor(() => expect(screen.queryByTestId('value-pressure_setpoint')).toBeNull());
  expect(screen.getByTestId('value-level')).toBeTruthy();
  expect(screen.getByTestId('live-bar').textContent).toContain('1 of 2 points');
  expect(address().q).toBe('TANK lev');
  await user.type(field('live-filter'), ' zzz');
  expect((await screen.findByTestId('empty-state')).textContent).toBe('No point matches');
});

test('values of one slave are shown by its address, and those of all again by a press', async () => {
  const { user } = await page('device_id=1&slave=tank');
  expect(await screen.findByTestId('value-level')).toBeTruthy();
  expect(screen.queryByTestId('value-pressure_setpoint')).toBeNull();
  await user.click(screen.getByTestId('live-slave'));
  expect(await screen.findByTestId('value-pressure_setpoint')).toBeTruthy();
  expect(address().slave).toBeUndefined();
});

test('a gateway that is connected without points leads who may to their configuration', async () => {
  given.points = [];
  const { user, went, unmount } = await page('device_id=1');
  await user.click(await screen.findByTestId('configure-points'));
  expect(went()).toBe('/device/gateway/slavedevice?device_id=1');
  unmount();
  await page('device_id=1', { permissions: [] });
  expect((await screen.findByTestId('empty-state')).textContent).toContain('has no points yet');
  expect(screen.queryByTestId('configure-points')).toBeNull();
});

test('points that cannot be read are asked for again', async () => {
  refuse<ListDataSourcesData>('get', '/api/v1/device/dss', {
    status: 500,
    code: 20_000,
    data: { message: 'no database' },
  });
  const { user } = await page('device_id=1');
  const trouble = await screen.findByTestId('error-state');
  expect(trouble.textContent).toContain('no database');
  answerAll();
  await user.click(within(trouble).getByRole('button'));
  expect(await screen.findByTestId('value-level')).toBeTruthy();
});

test('commands are offered for what can be written alone, and not to who may not', async () => {
  const { unmount } = await page('device_id=1&tab=command');
  expect(await screen.findByTestId('value-pressure_setpoint')).toBeTruthy();
  expect(screen.queryByTestId('value-level')).toBeNull();
  expect(field('batch-open').disabled).toBe(false);
  unmount();
  await page('device_id=1&tab=command', { permissions: [] });
  await screen.findByTestId('value-pressure_setpoint');
  expect(field('batch-open').disabled).toBe(true);
  expect(field('batch-open').title).toBe('You have no permission to send commands');
});

test('slaves stand with their address and the number of their points', async () => {
  given.gateway = { slaves: [slave(), slave({ id: 2, name: 'tank', title: 'Tank', port: 'com1', address: '7' })] };
  await page('device_id=1&tab=slaves');
  const table = await screen.findByTestId('slave-table');
  const rows = within(table).getAllByRole('row').slice(1);
  expect(rows.map((row) => cells(row)[0])).toEqual(['Boilerboiler', 'Tanktank']);
  await waitFor(() => expect(cells(rows[1]).slice(6, 9)).toEqual(['com1', '7', '1']));
});

test('a gateway without slaves says so', async () => {
  given.gateway = { slaves: [] };
  await page('device_id=1&tab=slaves');
  expect((await screen.findByTestId('empty-state')).textContent).toContain('This gateway has no slaves yet');
});
