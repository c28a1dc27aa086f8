import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { SaveParametersData, SaveParametersResponse } from '@/api/generated/types.gen';
import { useEdits } from '@/features/parameters/edits';
import OtaGateways from '@/features/parameters/screens/OtaGateways';
import { unsaved } from '@/lib/unsaved';
import { answer, refuse } from './network';
import type { Call } from './network';
import { BASE, DRAFT, MAY, parameters, serveGateway } from './parameter-fixtures';
import { show } from './render';
import type { Rendered } from './render';

beforeEach(() => useEdits.setState({ byDevice: {} }));

const SAVE = '/api/v1/device/{device_id}/parameters';

const open = async (group: string): Promise<Rendered> => {
  const page = await show(<OtaGateways />, {
    permissions: MAY,
    flags: { ot: 1 },
    at: `/ota/device?gateway=7&group=${group}`,
  });
  await screen.findByTestId('group-form');
  return page;
};
const saves = (): Call[] => answer<SaveParametersData, SaveParametersResponse>('put', SAVE, { base: DRAFT });
const enter = (name: string, value: string): boolean => fireEvent.change(field(name), { target: { value } });
const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(`field-${name}`);

test('a field beyond its bounds is told at the field, and another field decides over it', async () => {
  serveGateway(parameters());
  const calls = saves();
  const { user } = await open('run');
  expect(screen.getByText('0 to 86400, default 0')).toBeTruthy();
  enter('report_interval_s', '86401');
  expect(await screen.findByText('Must be at most 86400')).toBeTruthy();
  await user.click(screen.getByTestId('parameters-save'));
  expect(calls).toHaveLength(0);
  enter('report_interval_s', '59');
  await user.click(field('power'));
  await user.click(await screen.findByRole('option', { name: 'Energy saving' }));
  expect(await screen.findByText('Must be at least 60 with power saving')).toBeTruthy();
  enter('report_interval_s', '590');
  expect(unsaved.isAny()).toBe(true);
  await user.click(screen.getByTestId('parameters-save'));
  await waitFor(() => expect(calls).toHaveLength(1));
  const groups = [{ name: 'run', rows: [{ power: 'saving', report_interval_s: 590 }] }];
  expect(calls[0]?.body).toEqual({ base: BASE, groups });
  await waitFor(() => expect(unsaved.isAny()).toBe(false));
});

test('a secret is masked and stays; what the machine cannot do is said with its reason', async () => {
  serveGateway(parameters());
  const calls = saves();
  const { user } = await open('hotspot');
  expect(screen.getByTestId('group-condition').textContent).toContain('there is no WiFi interface');
  expect([field('password').type, field('password').value]).toEqual(['password', '******']);
  enter('ssid', 'yard');
  await user.keyboard('{Control>}s{/Control}');
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(calls[0]?.body).toMatchObject({ groups: [{ name: 'hotspot', rows: [{ ssid: 'yard', password: '******' }] }] });
});

test('what is missing is told when it is saved, in the group where it is missing', async () => {
  serveGateway(parameters());
  const calls = saves();
  const { user } = await open('uart');
  await user.click(screen.getByTestId('row-add'));
  expect(field('name').value).toBe('uart');
  expect(screen.queryByText('Required')).toBeNull();
  await user.click(screen.getByTestId('group-run'));
  await user.click(screen.getByTestId('parameters-save'));
  await waitFor(() => expect(screen.getByTestId('group-form').dataset.group).toBe('uart'));
  expect((await screen.findAllByText('Required')).length).toBeGreaterThan(0);
  enter('device', '/dev/ttyS1');
  await user.click(screen.getByTestId('parameters-save'));
  expect(await screen.findByText('com1 has this device too')).toBeTruthy();
  enter('device', '/dev/ttyS12');
  await user.click(screen.getByTestId('parameters-save'));
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(calls[0]?.body).toMatchObject({
    groups: [
      {
        name: 'uart',
        rows: [
          { name: 'com1', device: '/dev/ttyS1', baud: 4800 },
          { name: 'uart', device: '/dev/ttyS12' },
        ],
      },
    ],
  });
});

test('a group that is not set leaves the machine alone until it is', async () => {
  serveGateway(parameters());
  const calls = saves();
  const { user } = await open('network');
  await user.click(await screen.findByTestId('group-set'));
  expect(field('address').disabled).toBe(true);
  expect(screen.getAllByText('Only for a static address')).toHaveLength(4);
  await user.click(field('mode'));
  await user.click(await screen.findByRole('option', { name: 'Static address' }));
  enter('address', '10.0.0.2');
  enter('netmask', '255.255.255.0');
  enter('gateway', '10.0.1.1');
  expect(await screen.findByText('Another address in the same network')).toBeTruthy();
  enter('gateway', '');
  await user.click(screen.getByTestId('parameters-save'));
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(calls[0]?.body).toMatchObject({
    groups: [{ name: 'network', rows: [{ mode: 'static', address: '10.0.0.2', netmask: '255.255.255.0' }] }],
  });
});

test('what is in the draft and not deployed is listed, with the way to deploy it', async () => {
  const undeployed = [{ field: 'uart.com1.baud', before: null, after: 4800 }];
  serveGateway(parameters({ undeployed }), DRAFT);
  const { user } = await open('uart');
  expect((await screen.findByTestId<HTMLAnchorElement>('draft-deploy')).href).toContain(`deploy=${DRAFT}`);
  await user.click(screen.getByTestId('undeployed-show'));
  const line = await screen.findByTestId('field-change');
  expect(line.textContent).toContain('Serial lines (UART) · com1 · Baud rate');
  expect(line.textContent).toContain('4800');
});

test('of two editors the second sees what the first one changed, and decides', async () => {
  let base = BASE;
  const theirs = { uart: [{ name: 'com1', device: '/dev/ttyS1', baud: 19200 }] };
  serveGateway(() => parameters({ base }, base === BASE ? {} : theirs));
  const { user } = await open('uart');
  base = DRAFT;
  refuse<SaveParametersData>('put', SAVE, { status: 409, code: 20_000, data: { field: 'base', rule: DRAFT } });
  enter('baud', '9600');
  await user.click(screen.getByTestId('parameters-save'));
  const notice = await screen.findByTestId('parameters-conflict');
  expect(notice.textContent).toContain('Serial lines (UART)');
  const calls = saves();
  await user.click(within(notice).getByTestId('conflict-overwrite'));
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(calls[0]?.body).toMatchObject({ base: DRAFT });
});

test('what the cloud refuses stands at its field', async () => {
  serveGateway(parameters());
  refuse<SaveParametersData>('put', SAVE, {
    status: 400,
    data: { field: 'uart[0].device', rule: 'must be given for a COM port' },
  });
  const { user } = await open('uart');
  enter('device', '/dev/ttyS10');
  await user.click(screen.getByTestId('parameters-save'));
  await waitFor(() => expect(field('device').getAttribute('aria-invalid')).toBe('true'));
});

test('what is entered is there again when the page was closed', async () => {
  serveGateway(parameters());
  const { unmount } = await open('uart');
  enter('baud', '9600');
  unmount();
  expect(unsaved.isAny()).toBe(true);
  await open('uart');
  expect(field('baud').value).toBe('9600');
});

test('who may only look changes nothing', async () => {
  serveGateway(parameters({ changeable: false }));
  await open('run');
  expect(field('report_interval_s').disabled).toBe(true);
  expect(screen.getByText(/but not change them/)).toBeTruthy();
});
