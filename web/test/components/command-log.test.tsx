import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { CommandStatus, ListCommandsData, ListCommandsResponse } from '@/api/generated/types.gen';
import { formatDateTime } from '@/lib/time';
import { command } from './fixtures';
import { address, answerGateway, AT, cells, COMMANDS, page } from './monitor-fixtures';
import { answer, refuse } from './network';
import type { Call } from './network';
import type { Rendered } from './render';

beforeEach(answerGateway);

let asked: Call[];

function commands(rows: CommandStatus[], search = '', total = rows.length): Promise<Rendered> {
  asked = answer<ListCommandsData, ListCommandsResponse>('get', COMMANDS, { rows, total });
  return page(`device_id=1&tab=cmdlog${search}`);
}

const sent = (): Promise<HTMLElement[]> => screen.findAllByTestId('command-row');
const lastAsked = (): Record<string, string> => Object.fromEntries(asked.at(-1)?.query ?? []);

test('a command tells point, wanted and read value with unit, and how long it took', async () => {
  await commands([
    command({
      created_ms: AT,
      status: 'resp',
      outcome: 'done',
      result_value: 1.5,
      latency_ms: 250,
      address: '10.1.1.1',
    }),
  ]);
  const [row] = await sent();
  await waitFor(() => expect(cells(row)[2]).toBe('1.21 bar'));
  expect(cells(row)).toEqual([
    formatDateTime(AT),
    'Pressure setpointBoiler',
    '1.21 bar',
    '1.50 bar',
    'Done',
    '250 ms',
    'tester10.1.1.1',
  ]);
});

test.each([
  [{ status: 'create' }, 'Created'],
  [{ status: 'networkError', outcome: 'unknown' }, 'Result unknown, may have been written'],
  [{ status: 'fail', outcome: 'failed', code: 'no_answer' }, 'Failedno response'],
  [{ status: 'fail', code: 'no_answer', detail: 'after 3 tries' }, 'Failedno response · after 3 tries'],
  [{ status: 'fail', code: 'brand_new' }, 'Failedbrand_new'],
  [{ status: 'brand_new' }, 'brand_new'],
  [
    { status: 'fail', code: 'bad_value', detail: 'p: must be at most 2' },
    'Failedinvalid value for the point · Must be at most 2',
  ],
])('a command %o is told as %s', async (changes, words) => {
  await commands([command(changes)]);
  const [row] = await sent();
  await waitFor(() => expect(cells(row)[4]).toBe(words));
});

test.each([
  ['en', 'Cloud'],
  ['zh', '平台'],
] as const)('what the cloud asks of its own accord is told so (%s)', async (language, name) => {
  const rows = [command({ user: 'cloud', address: '' }), command({ id: 'b', user: 'cloud', address: '10.1.1.1' })];
  answer<ListCommandsData, ListCommandsResponse>('get', COMMANDS, { rows, total: rows.length });
  await page('device_id=1&tab=cmdlog', { language });
  const [own, other] = await sent();
  expect([cells(own)[6], cells(other)[6]]).toEqual([name, 'cloud10.1.1.1']);
});

test('what a linkage wrote names its trigger, which leads to it for who may open it', async () => {
  const origin = { kind: 'trigger' as const, id: 7, title: 'Boiler too hot' };
  await commands([command({ user: 'plant', address: 'trigger 7', origin })]);
  const [row] = await sent();
  await waitFor(() => expect(cells(row)[6]).toBe('Trigger: Boiler too hotwith the rights of plant'));
});

test('actions of the gateway have their names, the signal its strength; points that are gone their number', async () => {
  await commands([
    command({ id: 'a', dsid: null, action: 'reboot', value: null, status: 'send' }),
    command({ id: 'b', dsid: null, action: 'csq', value: null, status: 'resp', result_value: 20 }),
    command({ id: 'c', dsid: 99 }),
    command({
      id: 'd',
      dsid: 98,
      target: { gateway_id: 'gw-1', device_title: '', point: 'old', ds_title: 'Old point' },
    }),
    command({ id: 'e', action: 'R' }),
  ]);
  const rows = await sent();
  await waitFor(() => expect(cells(rows[4])[1]).toBe('Pressure setpointBoiler · Read'));
  expect(cells(rows[0])[1]).toBe('Restart gatewayGateway');
  expect(cells(rows[1])[3]).toMatch(/signal \(20, -73 dBm\)/);
  expect(cells(rows[2])[1]).toBe('Removed point 99');
  expect(cells(rows[3])[1]).toBe('Old point');
  expect(cells(rows[4])[2]).toBe('–');
});

test('a command of a batch leads to the whole batch, by the address, and back to all', async () => {
  const { user } = await commands([command({ batch_id: 'b7' }), command({ id: 'c2', batch_id: 'b8', preset_id: 3 })]);
  await sent();
  expect(screen.getByRole('button', { name: 'Preset command' })).toBeTruthy();
  expect(lastAsked().batch_id).toBeUndefined();
  await user.click(screen.getByRole('button', { name: 'Batch write' }));
  await waitFor(() => expect(lastAsked().batch_id).toBe('b7'));
  expect(address().batch).toBe('b7');
  expect(await screen.findByRole('heading', { name: 'Commands in one batch: 2' })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Show all commands' }));
  await waitFor(() => expect(address().batch).toBeUndefined());
  expect(screen.queryByRole('heading', { name: /Commands in one batch/ })).toBeNull();
});

test('a batch that is not known is told from a gateway without commands', async () => {
  const { user } = await commands([], '&batch=nobody');
  expect((await screen.findByTestId('empty-state')).textContent).toContain('Nothing matches the filter');
  await user.click(screen.getByTestId('table-clear'));
  await waitFor(() => expect(screen.getByTestId('empty-state').textContent).toBe('No commands yet'));
});

test('commands are paged; another batch starts at the first page', async () => {
  const { user } = await commands([command({ batch_id: 'b7' })], '', 45);
  await user.click(await screen.findByLabelText('Page 3'));
  await waitFor(() => expect(lastAsked()).toMatchObject({ device_id: '1', page: '3', limit: '20' }));
  await user.click(await screen.findByRole('button', { name: 'Batch write' }));
  await waitFor(() => expect(lastAsked()).toMatchObject({ batch_id: 'b7', page: '1' }));
});

test('commands that cannot be read are asked for again', async () => {
  refuse<ListCommandsData>('get', COMMANDS, { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user } = await page('device_id=1&tab=cmdlog');
  const trouble = await screen.findByTestId('error-state');
  expect(trouble.textContent).toContain('disk full');
  answer<ListCommandsData, ListCommandsResponse>('get', COMMANDS, { rows: [command()], total: 1 });
  await user.click(within(trouble).getByRole('button'));
  expect(await sent()).toHaveLength(1);
});

test.each([
  ['trigger', 'Trigger: Night', '/alarm/trigger/editTrigger?id=7'],
  ['exchange', 'Data exchange: Night', '/other/dataExchange?search=Night'],
  ['task', 'Timed task: Night', '/other/timedTask?search=Night'],
] as const)('what a %s wrote says so and leads to it', async (kind, words, href) => {
  const rows = [command({ user: 'plant', address: `${kind} 7`, origin: { kind, id: 7, title: 'Night' } })];
  answer<ListCommandsData, ListCommandsResponse>('get', COMMANDS, { rows, total: 1 });
  const permissions = ['Monitor.DeviceMonitor', 'Device/cmd', 'Trigger/index', 'DataExchange', 'DeviceCronTasks/index'];
  await page('device_id=1&tab=cmdlog', { permissions });
  const origin = within((await sent())[0] as HTMLElement).getByTestId('command-origin');
  expect(origin.textContent).toBe(words);
  expect(within(origin).getByRole('link').getAttribute('href')).toBe(href);
});

test('the log is filtered by what commands come from, in the address', async () => {
  const { user } = await commands([command()]);
  await sent();
  expect(lastAsked().origin).toBeUndefined();
  await user.click(screen.getByTestId('filter-origin'));
  await user.click(await screen.findByRole('option', { name: 'Linkages' }));
  await waitFor(() => expect(lastAsked().origin).toBe('trigger'));
  expect(address().origin).toBe('trigger');
});

test('a link names one origin, whose commands are shown under its name of then, and leads back to all', async () => {
  const origin = { kind: 'exchange' as const, id: 7, title: 'Setpoint' };
  const { user } = await commands([command({ origin })], '&origin=exchange&origin_id=7');
  expect(await screen.findByRole('heading', { name: 'Commands of data exchange rule Setpoint' })).toBeTruthy();
  expect([lastAsked().origin, lastAsked().origin_id]).toEqual(['exchange', '7']);
  await user.click(screen.getByRole('button', { name: 'Show all commands' }));
  await waitFor(() => expect(lastAsked().origin).toBeUndefined());
  expect([address().origin, address().origin_id]).toEqual([undefined, undefined]);
});

test.each(['&origin=rain', '&origin=people&origin_id=7', '&origin=task&origin_id=x', '&origin_id=7'])(
  'an address that names no origin %s asks for none',
  async (search) => {
    await commands([command()], search);
    await sent();
    expect(lastAsked().origin_id).toBeUndefined();
    expect(lastAsked().origin).not.toBe('rain');
  },
);
