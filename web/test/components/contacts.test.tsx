import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  ContactGroupRow,
  ContactRow,
  CreateContactData,
  CreateContactGroupData,
  CreateContactGroupResponse,
  CreateContactResponse,
  DeliveryRow,
  GetOptionData,
  GetOptionResponse,
  ListContactGroupsData,
  ListContactGroupsResponse,
  ListContactsData,
  ListContactsResponse,
  ListNotificationChannelsData,
  ListNotificationChannelsResponse,
  GetNotificationData,
  GetNotificationResponse,
  ListNotificationsData,
  ListNotificationsResponse,
  ListUnreachedAlarmsData,
  ListUnreachedAlarmsResponse,
  TestContactData,
  TestContactResponse,
  UnreachedRow,
} from '@/api/generated/types.gen';
import Contacts from '@/features/contacts/screens/Contacts';
import { formatDateTime } from '@/lib/time';
import { answer } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const URL = '/alarm/trigger/contact';
const MAY = ['TriggerContact/index'];

const LI: ContactRow = {
  id: 7,
  name: 'Li',
  phone: '',
  email: 'li@example.com',
  wechat: 'o1',
  language: 'en',
  enabled: true,
  user_name: 'plant',
  groups: ['Shift'],
  changed_ms: 0,
};

const SHIFT: ContactGroupRow = {
  id: 3,
  title: 'Shift',
  enabled: true,
  contact_ids: [7],
  contacts: [{ id: 7, title: 'Li', problem: '' }],
  devices: [],
  projects: [],
  channels: ['email'],
  robots: [{ kind: 'webhook', host: 'example.com', has_secret: false }],
  problem: 'owner_changed',
  user_name: '',
  changed_ms: 0,
};

const SENT: DeliveryRow = {
  id: 1,
  contact_id: 7,
  group_id: null,
  name: 'Li',
  channel: 'email',
  address: 'li@example.com',
  is_test: true,
  state: 'sent',
  reason: '',
  detail: '',
  receipt: '',
  subject: 'Too hot',
  count: 1,
  events: [],
  attempts: 1,
  created_ms: 1_790_000_000_000,
  due_ms: 1_790_000_000_000,
  sent_ms: 1_790_000_000_000,
};

function channels(): void {
  answer<ListNotificationChannelsData, ListNotificationChannelsResponse>('get', '/api/v1/notification/channel', {
    rows: [
      { name: 'email', of: 'contact', configured: true },
      { name: 'wechat', of: 'contact', configured: false },
    ],
  });
}

beforeEach(() => {
  unreached();
  channels();
  answer<GetOptionData, GetOptionResponse>('get', '/api/v1/option', {
    name: 'alarm_levels',
    value: [],
  } as unknown as GetOptionResponse['data']);
});

function unreached(...rows: UnreachedRow[]): void {
  answer<ListUnreachedAlarmsData, ListUnreachedAlarmsResponse>('get', '/api/v1/notification/unreached', { rows });
}

async function contacts(...rows: ContactRow[]): Promise<Rendered> {
  answer<ListContactsData, ListContactsResponse>('get', '/api/v1/contact', { rows, total: rows.length });
  const page = await show(<Contacts />, { permissions: MAY, at: URL });
  await waitFor(() => expect(screen.queryAllByTestId('contacts-row')).toHaveLength(rows.length));
  return page;
}

async function groups(...rows: ContactGroupRow[]): Promise<Rendered> {
  answer<ListContactGroupsData, ListContactGroupsResponse>('get', '/api/v1/contact-group', {
    rows,
    total: rows.length,
  });
  const page = await show(<Contacts />, { permissions: MAY, at: `${URL}?tab=groups` });
  await waitFor(() => expect(screen.queryAllByTestId('contact-groups-row')).toHaveLength(rows.length));
  return page;
}

test('an empty list says what contacts are for', async () => {
  await contacts();
  expect(await screen.findByText('No contacts yet')).toBeDefined();
});

test('a contact is added', async () => {
  const { user } = await contacts();
  const made = answer<CreateContactData, CreateContactResponse>('post', '/api/v1/contact', LI);
  await user.click(screen.getByTestId('contacts-create'));
  await user.type(await screen.findByTestId('contact-name'), 'Li');
  await user.type(screen.getByTestId('contact-email'), 'li@example.com');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(made).toHaveLength(1));
  expect(made[0]?.body).toMatchObject({ name: 'Li', email: 'li@example.com', phone: '', enabled: true });
});

/** Tests that are queued, and what came of them so far, by number. */
function testing(): { tests: Call[]; outcome: (row: Partial<DeliveryRow>) => void } {
  let came: DeliveryRow = { ...SENT, state: 'queued', sent_ms: null };
  let id = 0;
  const tests = answer<TestContactData, TestContactResponse>(
    'post',
    '/api/v1/contact/{contact_id}/test' as TestContactData['url'],
    () => {
      id += 1;
      came = { ...SENT, id, state: 'queued', sent_ms: null };
      return came;
    },
  );
  answer<GetNotificationData, GetNotificationResponse>(
    'get',
    '/api/v1/notification/{delivery_id}' as GetNotificationData['url'],
    () => came,
  );
  channels(); // its path has room for that of one message
  return { tests, outcome: (row) => (came = { ...came, ...row }) };
}

test('a test offers the channels with an address, waits in the queue and says what came of it', async () => {
  const { user } = await contacts(LI);
  const { tests, outcome } = testing();
  const [begin] = screen.getAllByTestId('row-test');
  expect(begin?.textContent).toBe('Send a test');
  await user.click(begin as HTMLElement);
  const dialog = await screen.findByRole('dialog');
  await user.click(within(dialog).getByTestId('test-channel'));
  const found = await screen.findAllByRole('option', { hidden: true });
  const options = found.filter(({ textContent }) => !/page|^All/.test(textContent));
  expect(options.map(({ textContent }) => textContent)).toEqual(['Email', 'WeChat (not set up on this platform)']);
  await user.keyboard('{Escape}');
  await user.click(screen.getByTestId('test-send'));
  expect((await screen.findByTestId('test-outcome')).textContent).toBe('Queued; the result appears here.');
  outcome({ state: 'sent', sent_ms: 1 });
  await waitFor(() =>
    expect(screen.getByTestId('test-outcome').textContent).toBe('The provider accepted the message to li@example.com'),
  );
  expect(tests[0]?.body).toEqual({ channel: 'email' });
  await user.click(screen.getByTestId('test-send'));
  await waitFor(() => expect(tests).toHaveLength(2));
  outcome({ state: 'failed', reason: 'credentials', detail: '535 wrong' });
  await waitFor(() => expect(screen.getByTestId('test-outcome').dataset['state']).toBe('failed'));
  expect(screen.getByTestId('test-outcome').textContent).toContain('refused the key, secret or password');
  expect(screen.getByTestId('test-outcome').textContent).toContain('535 wrong');
});

test('the form of a contact says how often it is told, and tests what is saved', async () => {
  const { user } = await contacts(LI);
  const { tests } = testing();
  await user.click(screen.getByTestId('row-edit'));
  expect((await screen.findByTestId('how-often')).textContent).toContain('at most one message a minute');
  const button = screen.getByTestId('form-test');
  await user.type(screen.getByTestId('contact-email'), 'x');
  expect(button).toHaveProperty('disabled', true);
  await user.type(screen.getByTestId('contact-email'), '{Backspace}');
  await user.click(button);
  await user.click(await screen.findByTestId('test-send'));
  await waitFor(() => expect(tests).toHaveLength(1));
});

test('the log says why a message waits, and until when', async () => {
  const soon = Date.now() + 3_600_000;
  const open = { ...SENT, is_test: false, state: 'queued' as const, sent_ms: null, attempts: 0, due_ms: soon };
  const rows: DeliveryRow[] = [
    { ...open, id: 1, reason: 'apart' },
    { ...open, id: 2, state: 'held', reason: 'quiet_hours' },
    { ...open, id: 3, reason: 'apart', due_ms: 1 },
    { ...open, id: 4, reason: 'unreachable', attempts: 1 },
    { ...open, id: 5, reason: '', attempts: 1 },
    { ...open, id: 6, reason: '', is_test: true, due_ms: 1, subject: 'Test message' },
  ];
  answer<ListNotificationsData, ListNotificationsResponse>('get', '/api/v1/notification', { rows, total: 6 });
  await show(<Contacts />, { permissions: MAY, at: `${URL}?tab=log` });
  await waitFor(() => expect(screen.queryAllByTestId('deliveries-row')).toHaveLength(6));
  const said = screen.getAllByTestId('deliveries-row').map(({ textContent }) => textContent);
  const at = formatDateTime(soon);
  expect(said[0]).toContain(`At most one message a minute goes to a recipient on a channel`);
  expect(said[0]).toContain(`until ${at}`);
  expect(said[1]).toContain(`Held until the quiet hours end · until ${at}`);
  expect(said[2]).toContain('next, after earlier messages');
  expect(said[3]).toContain(`The provider could not be reached · Next attempt ${at}`);
  expect(said[4]).toContain('Being sent');
  expect(said[5]).toContain('[Test] Test message');
});

test('the log follows a message that waits', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const rows: DeliveryRow[] = [{ ...SENT, state: 'queued', sent_ms: null, reason: '', due_ms: 1 }];
  const asked = answer<ListNotificationsData, ListNotificationsResponse>('get', '/api/v1/notification', {
    rows,
    total: 1,
  });
  await show(<Contacts />, { permissions: MAY, at: `${URL}?tab=log` });
  expect((await screen.findByTestId('deliveries-row')).textContent).toContain('Being sent');
  expect(asked).toHaveLength(1);
  rows[0] = SENT;
  await vi.advanceTimersByTimeAsync(4000);
  await waitFor(() => expect(screen.getByTestId('deliveries-row').textContent).not.toContain('Being sent'));
  expect(asked).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(asked).toHaveLength(2);
  vi.useRealTimers();
});

test('a group says who is told and why nobody is', async () => {
  await groups(SHIFT);
  expect(screen.getAllByText(/Email, Webhook/).length).toBeGreaterThan(0);
  expect(screen.getAllByText('Given to another user; save it to use it again').length).toBeGreaterThan(0);
  expect(screen.getAllByText('All gateways').length).toBeGreaterThan(0);
});

test('a new group asks for what it needs and sends its robot', async () => {
  const { user } = await groups();
  const made = answer<CreateContactGroupData, CreateContactGroupResponse>('post', '/api/v1/contact-group', SHIFT);
  await user.click(screen.getByTestId('contact-groups-create'));
  await user.type(await screen.findByTestId('group-title'), 'Shift');
  await user.click(screen.getByTestId('robot-webhook'));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Required')).toBeDefined();
  expect(made).toHaveLength(0);
  await user.type(screen.getByTestId('robot-webhook-url'), 'https://example.com/hook');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(made).toHaveLength(1));
  expect(made[0]?.body).toMatchObject({
    title: 'Shift',
    gateways: 'all',
    quiet: null,
    robots: [{ kind: 'webhook', url: 'https://example.com/hook', secret: null }],
  });
});

test('the log says what came of each message', async () => {
  const rows: DeliveryRow[] = [
    SENT,
    { ...SENT, id: 2, is_test: false, state: 'failed', reason: 'not_configured', subject: '', count: 3 },
    { ...SENT, id: 3, state: 'held', sent_ms: null },
  ];
  answer<ListNotificationsData, ListNotificationsResponse>('get', '/api/v1/notification', { rows, total: 3 });
  await show(<Contacts />, { permissions: MAY, at: `${URL}?tab=log` });
  await waitFor(() => expect(screen.queryAllByTestId('deliveries-row')).toHaveLength(3));
  expect(screen.getAllByText('This channel is not set up on this platform').length).toBeGreaterThan(0);
  expect(screen.getAllByText('3 notifications').length).toBeGreaterThan(0);
  expect(screen.getAllByText('Held by quiet hours').length).toBeGreaterThan(0);
});

test('a member without an address of the channels is marked in its group', async () => {
  const wang = { id: 8, title: 'Wang', problem: 'no_address' };
  await groups({ ...SHIFT, problem: '', contacts: [...SHIFT.contacts, wang] });
  const row = screen.getByTestId('contact-groups-row');
  expect(row.textContent).toContain('Li, Wang no address');
  expect(row.textContent).toContain('1 member cannot be reached');
});

test('alarms that reached nobody stand above the lists, with the reason', async () => {
  unreached({
    alarm_type: 1,
    level: null,
    title: 'Too hot',
    device_id: 5,
    device: 'Boiler house',
    trigger_id: 4,
    reason: 'no_address',
    count: 3,
    newest_event_id: 9,
    newest_ms: 1_790_000_000_000,
  });
  const { user } = await contacts();
  expect((await screen.findByTestId('unreached')).textContent).toContain('3 alarms of the last 7 days reached nobody');
  await user.click(screen.getByTestId('unreached-open'));
  const row = screen.getByTestId('unreached-row');
  expect(row.textContent).toMatch(
    /^Too hot \(Over-limit alarm\) · Boiler house · 3 times · .* · There is no address for this channel · Trigger$/,
  );
});

test('the log says that nobody was told', async () => {
  const nobody: DeliveryRow = {
    ...SENT,
    name: '',
    contact_id: null,
    address: '',
    channel: '',
    state: 'dropped',
    reason: 'no_group',
    sent_ms: null,
    subject: '',
  };
  answer<ListNotificationsData, ListNotificationsResponse>('get', '/api/v1/notification', { rows: [nobody], total: 1 });
  await show(<Contacts />, { permissions: MAY, at: `${URL}?tab=log` });
  const row = await screen.findByTestId('deliveries-row');
  for (const said of ['Nobody', 'Not sent', 'No contact group is for it']) expect(row.textContent).toContain(said);
});
