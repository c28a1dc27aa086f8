import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type {
  AlarmRow,
  DeleteAlarmData,
  DeleteAlarmResponse,
  GetAlarmData,
  GetAlarmResponse,
  GetDeviceData,
  GetDeviceResponse,
  GetOptionData,
  GetOptionResponse,
  GetUserOptionData,
  GetUserOptionResponse,
  HandleAlarmData,
  HandleAlarmResponse,
  ListAlarmsData,
  ListAlarmsResponse,
  ListOnOfflineEventsData,
  ListOnOfflineEventsResponse,
  NoteAlarmData,
  NoteAlarmResponse,
  OnOfflineEvent,
  PutUserOptionData,
  PutUserOptionResponse,
} from '@/api/generated/types.gen';
import { AlarmDrawer } from '@/features/events/components/AlarmDrawer';
import SettingsDrawer from '@/features/events/components/SettingsDrawer';
import { useSettings } from '@/features/events/components/useSettings';
import AlarmLog from '@/features/events/screens/AlarmLog';
import AlarmTab from '@/features/events/screens/AlarmTab';
import OnOffline from '@/features/events/screens/OnOffline';
import { alarm, nothingElse } from './alarm-fixtures';
import { device } from './fixtures';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const MAY = ['Event', 'DeviceMonitor_Online', 'Monitor.DeviceMonitor'];
const HANDLE_URL = '/api/v1/event/alarmlog/{event_id}';
const LEVELS = [{ id: 7, title: 'Flood', color: '#ff0000' }];

let listed: Call[];
let handled: Call[];
let rows: AlarmRow[];

beforeEach(() => {
  nothingElse();
  rows = [alarm(), alarm({ id: 2, status: 1, handled_name: 'Li', handled_ms: Date.now(), note: 'valve changed' })];
  answer<GetOptionData, GetOptionResponse>('get', '/api/v1/option', {
    name: 'alarm_levels',
    value: LEVELS,
  } as unknown as GetOptionResponse['data']);
  listed = answer<ListAlarmsData, ListAlarmsResponse>('get', '/api/v1/event/alarmlog', () => ({
    rows,
    total: rows.length,
  }));
  handled = answer<HandleAlarmData, HandleAlarmResponse>('put', HANDLE_URL, alarm({ status: 1 }));
});

const body = (asked: Call | undefined): unknown => asked?.body;

function drawer(row: AlarmRow): Promise<Rendered> {
  answer<GetAlarmData, GetAlarmResponse>('get', HANDLE_URL, { alarm: row, suppressions: [], changes: [] });
  return show(<AlarmDrawer row={row} onClose={() => undefined} />, { permissions: MAY });
}

test('a note closes nothing, and is what is proposed', async () => {
  const noted = answer<NoteAlarmData, NoteAlarmResponse>('post', `${HANDLE_URL}/note`, alarm({ note: 'smells' }));
  const { user } = await drawer(alarm());
  const choices = within(screen.getByTestId('handle-status')).getAllByRole('radio');
  expect(choices.map((choice) => (choice as HTMLInputElement).checked)).toEqual([true, false, false]);
  expect(screen.getByTestId('form-save').textContent).toBe('Save the note');
  const note = screen.getByTestId('handle-note');
  await user.type(note, ' ');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(note.getAttribute('aria-invalid')).toBe('true'));
  await user.type(note, 'smells ');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(noted.map(({ body: said }) => said)).toEqual([{ note: 'smells' }]));
  expect(handled).toEqual([]);
});

const choose = async (user: Rendered['user'], place: number): Promise<void> =>
  user.click(within(screen.getByTestId('handle-status')).getAllByRole('radio')[place] as HTMLElement);

test('an event is handled with a trimmed note', async () => {
  const { user } = await drawer(alarm());
  await choose(user, 1);
  await user.type(screen.getByTestId('handle-note'), '  valve changed ');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(handled).toHaveLength(1));
  expect(body(handled[0])).toEqual({ status: 1, note: 'valve changed' });
});

test('an event is a false alarm', async () => {
  const { user } = await drawer(alarm());
  await choose(user, 2);
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(body(handled[0])).toEqual({ status: 2, note: '' }));
});

test('what was handled is opened again only with a reason', async () => {
  const { user } = await drawer(alarm({ status: 1 }));
  await choose(user, 1);
  const note = screen.getByTestId('handle-note');
  await user.type(note, '   ');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(note.getAttribute('aria-invalid')).toBe('true'));
  expect(handled).toEqual([]);
  await user.type(note, 'came back');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(body(handled[0])).toEqual({ status: 0, note: 'came back' }));
});

test('a note of more than 500 characters is refused at its field', async () => {
  const { user } = await drawer(alarm());
  const note = screen.getByTestId('handle-note');
  fireEvent.change(note, { target: { value: 'x'.repeat(501) } });
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(note.getAttribute('aria-invalid')).toBe('true'));
  expect(screen.getByTestId('form-drawer').textContent).toContain('500');
  expect(handled).toEqual([]);
});

test.each([0, 3])('a recovery (type %i) has nothing to handle', async (alarm_type) => {
  await drawer(alarm({ alarm_type }));
  expect(screen.getByTestId('alarm-facts').textContent).toContain('Boiler house');
  expect(screen.queryByTestId('handle-status')).toBeNull();
  expect(screen.getByTestId('form-save').textContent).toBe('Save the note');
});

test('the facts of an event: value with decimals and unit, who handled it, its note', async () => {
  await drawer(alarm({ alarm_type: 0, value: 2.71449, handled_name: 'Li', handled_ms: 0, note: 'valve changed' }));
  const facts = screen.getByTestId('alarm-facts').textContent ?? '';
  expect(facts).toContain('2.71 bar');
  expect(facts).toContain('Li ');
  expect(facts).toContain('valve changed');
});

test('a refusal of the cloud stays in the drawer', async () => {
  refuse<HandleAlarmData>('put', HANDLE_URL, { status: 409, code: 20_000, data: { message: 'handled by somebody' } });
  const { user } = await drawer(alarm());
  await choose(user, 1);
  await user.click(screen.getByTestId('form-save'));
  expect((await screen.findByTestId('form-failure')).textContent).toContain('handled by somebody');
  expect(screen.getByTestId('handle-note')).toBeTruthy();
});

async function log(permissions = MAY, at = '/alarm/alarmlog'): Promise<Rendered> {
  const page = await show(<AlarmLog />, { permissions, at });
  await waitFor(() => expect(screen.getAllByTestId('alarms-row')).toHaveLength(rows.length));
  return page;
}

const rowAt = (at: number): HTMLElement => screen.getAllByTestId('alarms-row')[at] as HTMLElement;

test('one click handles an event, one more takes it back with a note that says so', async () => {
  const { user } = await log();
  expect(within(rowAt(1)).queryByTestId('handle-1')).toBeNull();
  await user.click(within(rowAt(0)).getByTestId('handle-1'));
  await waitFor(() => expect(body(handled[0])).toEqual({ status: 1, note: '' }));
  await user.click(await screen.findByTestId('undo'));
  await waitFor(() => expect(handled).toHaveLength(2));
  expect(body(handled[1])).toMatchObject({ status: 0 });
  expect((body(handled[1]) as { note: string }).note).not.toBe('');
});

test('filters of the address are what the cloud is asked for', async () => {
  answer<GetDeviceData, GetDeviceResponse>('get', '/api/v1/device/{device_id}', device({ id: 5 }));
  await log(MAY, '/alarm/alarmlog?status=0&level=danger&type=1&device=5&search=pump');
  const { query } = listed[0] as Call;
  expect(
    Object.fromEntries(['status', 'level', 'type', 'device_id', 'search'].map((name) => [name, query.get(name)])),
  ).toEqual({ status: '0', level: 'danger', type: '1', device_id: '5', search: 'pump' });
  const days = (Date.now() - Number(query.get('starttime'))) / 86_400_000;
  expect(Math.round(days)).toBe(7);
});

test.each(['abc', '-1', '99999999999'])('a filter that is no number is not sent: %s', async (device) => {
  await log(MAY, `/alarm/alarmlog?device=${device}`);
  expect(listed[0]?.query.has('device_id')).toBe(false);
});

test('chosen events are handled together; one that is refused is counted, not the end', async () => {
  rows = [alarm(), alarm({ id: 2 }), alarm({ id: 3 })];
  const { user } = await log();
  for (const row of screen.getAllByTestId('alarms-row')) await user.click(within(row).getByRole('checkbox'));
  let calls = 0;
  answer<HandleAlarmData, HandleAlarmResponse>('put', HANDLE_URL, () => {
    calls += 1;
    return alarm({ status: 1 });
  });
  await user.click(screen.getByTestId('bulk-handle'));
  const save = await screen.findByTestId('form-save');
  expect(screen.getByTestId('form-drawer').textContent).toContain('3');
  await user.click(save);
  await waitFor(() => expect(calls).toBe(3));
  await waitFor(() => expect(screen.queryByTestId('selection-bar')).toBeNull());
});

test('of chosen events those that cannot be handled are told of', async () => {
  const { user } = await log();
  for (const row of screen.getAllByTestId('alarms-row')) await user.click(within(row).getByRole('checkbox'));
  refuse<HandleAlarmData>('put', HANDLE_URL, { status: 409, code: 20_000 });
  await user.click(screen.getByTestId('bulk-handle'));
  await user.click(await screen.findByTestId('form-save'));
  expect(await screen.findByText(/2 .*(left|skipped|not)/i)).toBeTruthy();
});

test('a row is deleted after a question that names it', async () => {
  const gone = answer<DeleteAlarmData, DeleteAlarmResponse>('delete', HANDLE_URL, null);
  const { user } = await log();
  await user.click(within(rowAt(0)).getByTestId('row-remove'));
  expect((await screen.findByTestId('confirm-dialog')).textContent).toContain('Boiler house');
  await user.click(screen.getByTestId('confirm-no'));
  expect(gone).toEqual([]);
  await user.click(within(rowAt(0)).getByTestId('row-remove'));
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(gone).toHaveLength(1));
});

test('the levels of the platform are offered as a filter and drawn in the list', async () => {
  rows = [alarm({ alarm_type: 207, level: 7 })];
  await log();
  await waitFor(() => expect(rowAt(0).textContent).toContain('Flood'));
});

test('the alarms of one gateway: its number is asked for, its column is left out, the status is a filter', async () => {
  const { user } = await show(<AlarmTab />, { permissions: MAY, at: '/deviceDetail/index?device_id=5' });
  await waitFor(() => expect(listed).toHaveLength(1));
  expect(listed[0]?.query.get('device_id')).toBe('5');
  await screen.findAllByText('Pressure too high');
  expect(screen.queryByText('Boiler house')).toBeNull();
  await user.click(within(screen.getByTestId('alarm-status')).getAllByRole('radio')[2] as HTMLElement);
  await waitFor(() => expect(listed.at(-1)?.query.get('status')).toBe('1'));
  expect(new URLSearchParams(window.location.search).get('alarm_status')).toBe('1');
});

function outage(changes: Partial<OnOfflineEvent> = {}): OnOfflineEvent {
  return {
    id: 1,
    at: Date.now(),
    status: 0,
    device_id: 5,
    device_title: 'Boiler house',
    gateway_id: 'gw-5',
    slave: null,
    slave_title: null,
    reason: 'timeout',
    duration_ms: 61_000,
    lasts: true,
    ...changes,
  };
}

test('on and off: what went says why, what came back does not; an outage that lasts says so', async () => {
  const calls = answer<ListOnOfflineEventsData, ListOnOfflineEventsResponse>('get', '/api/v1/event/onoffline', {
    rows: [outage(), outage({ id: 2, status: 1, lasts: false, slave: 'boiler', slave_title: 'Boiler' })],
    total: 2,
  });
  await show(<OnOffline />, { permissions: MAY, at: '/alarm/onOffline?slaves=no&status=0' });
  const [went, came] = await screen.findAllByTestId('onoffs-row');
  expect(calls[0]?.query.get('slaves')).toBe('false');
  expect(calls[0]?.query.get('status')).toBe('0');
  expect(went?.textContent).toMatch(/1 min/);
  const cells = (row: HTMLElement | undefined): (string | null)[] =>
    within(row as HTMLElement)
      .getAllByRole('cell')
      .map(({ textContent }) => textContent);
  const longer = cells(went).join('|');
  expect(longer).not.toBe(cells(came).join('|'));
  expect(came?.textContent).toContain('Boiler');
});

function Settings(): React.ReactElement {
  return <SettingsDrawer settings={useSettings()} onClose={() => undefined} />;
}

test('notifications: off at first, a tone needs its notification, each switch is sent at once', async () => {
  answer<GetUserOptionData, GetUserOptionResponse>('get', '/api/v1/user/option', {
    name: 'notifications',
    value: null,
  } as unknown as GetUserOptionResponse['data']);
  const saved = answer<PutUserOptionData, PutUserOptionResponse>('put', '/api/v1/user/option', {
    name: 'notifications',
    value: {},
  } as unknown as PutUserOptionResponse['data']);
  const { user } = await show(<Settings />, { permissions: MAY });
  const box = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(`set-${name}`);
  await waitFor(() => expect(box('alarm').disabled).toBe(false));
  expect(['alarm', 'onoff', 'alarmTone', 'onoffTone'].map((name) => box(name).checked)).toEqual([
    false,
    false,
    true,
    false,
  ]);
  await user.click(box('alarm'));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.body).toEqual({
    name: 'notifications',
    value: { alarm: true, onoff: false, alarmTone: true, onoffTone: false },
  });
});

test('who may not see alarms has no switch for them', async () => {
  await show(<Settings />, { permissions: ['DeviceMonitor_Online'] });
  expect(await screen.findByTestId('set-onoff')).toBeTruthy();
  expect(screen.queryByTestId('set-alarm')).toBeNull();
});

test('a recovery of a trigger that is another one now says so', async () => {
  rows = [alarm({ alarm_type: 0, cause: 'rule_changed', shown: 'success', status: 1 })];
  await show(<AlarmLog />, { permissions: MAY });
  expect(await screen.findByText('Pressure too high (trigger changed or switched off)')).toBeDefined();
});

test('an alarm of a forwarding target names it, and leads to it on the page of its gateway', async () => {
  rows = [
    alarm({ title: 'bureau', cause: 'target_down', slave: null, slave_title: null, dsid: null }),
    alarm({ id: 2, title: 'usb', cause: 'target_removed', alarm_type: 0, shown: 'success', dsid: null }),
  ];
  await show(<AlarmLog />, { permissions: MAY });
  expect(await screen.findByText('Forwarding target "bureau" takes no data')).toBeDefined();
  expect(screen.getByText('Forwarding target "usb" was removed or disabled')).toBeDefined();
  answer<GetAlarmData, GetAlarmResponse>('get', '/api/v1/event/alarmlog/{event_id}', {
    alarm: rows[0] as AlarmRow,
    changes: [],
    suppressions: [],
  });
  await show(<AlarmDrawer row={rows[0] as AlarmRow} onClose={() => undefined} />, { permissions: MAY });
  const href = (await screen.findByTestId('alarm-target')).getAttribute('href');
  expect(href).toBe('/deviceDetail/index?device_id=5&tab=forwarding&shown=bureau');
});
