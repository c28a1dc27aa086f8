import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  AcknowledgeAlarmsData,
  AcknowledgeAlarmsResponse,
  AlarmCounts,
  AlarmRow,
  BeginMaintenanceData,
  BeginMaintenanceResponse,
  EndSuppressionData,
  EndSuppressionResponse,
  GetAlarmCountsData,
  GetAlarmCountsResponse,
  GetAlarmData,
  GetAlarmReportData,
  GetAlarmReportResponse,
  GetAlarmResponse,
  GetOptionData,
  GetOptionResponse,
  ListAlarmGroupsData,
  ListAlarmLinkagesData,
  ListAlarmLinkagesResponse,
  ListAlarmGroupsResponse,
  ListAlarmsData,
  ListAlarmsResponse,
  ListSuppressionsData,
  ListSuppressionsResponse,
  SuppressAlarmsData,
  SuppressAlarmsResponse,
  SuppressionRow,
} from '@/api/generated/types.gen';
import { Maintenance, MaintenanceDrawer } from '@/blocks/alarms/Maintenance';
import { AlarmDrawer } from '@/features/events/components/AlarmDrawer';
import AlarmLog from '@/features/events/screens/AlarmLog';
import { alarm, notified, SHELVED } from './alarm-fixtures';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const MAY = ['Event', 'DeviceMonitor_Online', 'Monitor.DeviceMonitor', 'Device/save', 'Trigger/index'];
const LINKAGES: ListAlarmLinkagesData['url'] = '/api/v1/event/alarmlog/{event_id}/linkage';
const COUNTS: AlarmCounts = {
  active: 2,
  unhandled: 3,
  states: {},
  levels: {},
  suppressions: { shelved: 1, maintenance: 1 },
  new: 0,
  flood: false,
};

let listed: Call[];
let acknowledged: Call[];
let rows: AlarmRow[];
let counts: AlarmCounts;

beforeEach(() => {
  notified();
  rows = [alarm(), alarm({ id: 2, state: 'acknowledged', acked_ms: 5, acked_name: 'Li' })];
  counts = COUNTS;
  answer<GetOptionData, GetOptionResponse>('get', '/api/v1/option', {
    name: 'alarm_levels',
    value: [],
  } as unknown as GetOptionResponse['data']);
  answer<GetAlarmCountsData, GetAlarmCountsResponse>('get', '/api/v1/event/alarmlog/counts', () => counts);
  listed = answer<ListAlarmsData, ListAlarmsResponse>('get', '/api/v1/event/alarmlog', () => ({
    rows,
    total: rows.length,
  }));
  acknowledged = answer<AcknowledgeAlarmsData, AcknowledgeAlarmsResponse>(
    'post',
    '/api/v1/event/alarmlog/acknowledge',
    ({ body }) => ({ done: (body as { ids: number[] }).ids, skipped: [] }),
  );
});

async function centre(at = '/alarm/alarmlog'): Promise<Rendered> {
  return show(<AlarmLog />, { permissions: MAY, at });
}

test('it opens on what is active, whenever that began, without what lies under a root cause', async () => {
  await centre();
  await screen.findAllByTestId('alarms-row');
  const { query } = listed[0] as Call;
  expect([query.get('view'), query.get('folded'), query.has('starttime')]).toEqual(['active', 'true', false]);
  await waitFor(() => expect(screen.getByTestId('view-active').textContent).toContain('(2)'));
  expect(screen.getByTestId('view-quiet').textContent).toContain('(2)');
});

test('the history has its period; a search finds what lies under a root cause too', async () => {
  const { user } = await centre('/alarm/alarmlog?search=pump');
  await waitFor(() => expect(listed[0]?.query.get('folded')).toBe('false'));
  await user.click(screen.getByTestId('view-history'));
  await waitFor(() => expect(listed.at(-1)?.query.has('starttime')).toBe(true));
  expect(listed.at(-1)?.query.has('view')).toBe(false);
});

test('one click acknowledges; what is acknowledged has nothing to click', async () => {
  const { user } = await centre();
  const [first, second] = await screen.findAllByTestId('alarms-row');
  expect(within(second as HTMLElement).queryByTestId('acknowledge-row')).toBeNull();
  await user.click(within(first as HTMLElement).getByTestId('acknowledge-row'));
  await waitFor(() => expect(acknowledged[0]?.body).toEqual({ ids: [1], note: '' }));
});

test('many are acknowledged together', async () => {
  rows = [alarm(), alarm({ id: 2 }), alarm({ id: 3 })];
  const { user } = await centre();
  for (const row of await screen.findAllByTestId('alarms-row')) await user.click(within(row).getByRole('checkbox'));
  await user.click(screen.getByTestId('bulk-acknowledge'));
  await waitFor(() => expect(acknowledged[0]?.body).toEqual({ ids: [1, 2, 3], note: '' }));
});

test('shelving needs a reason and a time', async () => {
  const asked = answer<SuppressAlarmsData, SuppressAlarmsResponse>('post', '/api/v1/event/alarmlog/suppress', {
    done: [1],
    skipped: [],
  });
  const { user } = await centre();
  const [first] = await screen.findAllByTestId('alarms-row');
  await user.click(within(first as HTMLElement).getByRole('checkbox'));
  await user.click(screen.getByTestId('bulk-shelve'));
  const drawer = await screen.findByTestId('form-drawer');
  await user.click(within(screen.getByTestId('suppress-duration')).getAllByRole('radio')[3] as HTMLElement);
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(screen.getByTestId('suppress-until').getAttribute('aria-invalid')).toBe('true'));
  expect(asked).toEqual([]);
  await user.click(within(screen.getByTestId('suppress-duration')).getAllByRole('radio')[2] as HTMLElement);
  await user.type(within(drawer).getByTestId('suppress-reason'), ' works ');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() =>
    expect(asked[0]?.body).toEqual({ ids: [1], kind: 'shelved', duration_s: 28_800, reason: 'works' }),
  );
});

test('a flood groups repeats, and says so', async () => {
  counts = { ...COUNTS, new: 40, flood: true };
  const groups = answer<ListAlarmGroupsData, ListAlarmGroupsResponse>('get', '/api/v1/event/alarmlog/groups', {
    rows: [
      {
        device_id: 5,
        rule_id: 8,
        alarm_type: 1,
        count: 14,
        unacknowledged: 3,
        first_ms: 1,
        newest: alarm({ rule_id: 8 }),
      },
    ],
    total: 1,
  });
  const { user } = await centre();
  expect((await screen.findByTestId('alarm-flood')).textContent).toContain('40');
  const row = await screen.findByTestId('alarmGroups-row');
  expect(row.textContent).toContain('× 14');
  expect(groups[0]?.query.get('view')).toBe('active');
  await user.click(within(row).getByTestId('acknowledge-group'));
  await waitFor(() => expect(acknowledged[0]?.body).toEqual({ ids: [1], note: '' }));
  const { query } = listed.at(-1) as Call;
  expect(['device_id', 'alarm_rule_id', 'type'].map((name) => query.get(name))).toEqual(['5', '8', '1']);
  await user.click(screen.getByTestId('alarm-group'));
  expect(await screen.findAllByTestId('alarms-row')).toHaveLength(2);
});

test('what is shelved says who, why and until when, and ends at a click', async () => {
  answer<ListSuppressionsData, ListSuppressionsResponse>('get', '/api/v1/event/suppression', {
    rows: [SHELVED],
    total: 1,
  });
  const ended = answer<EndSuppressionData, EndSuppressionResponse>(
    'delete',
    '/api/v1/event/suppression/{suppression_id}',
    null,
  );
  const { user } = await centre('/alarm/alarmlog?view=quiet');
  const row = await screen.findByTestId('suppressions-row');
  for (const text of ['Too hot', 'Li', 'pump is being repaired', '2033']) expect(row.textContent).toContain(text);
  await user.click(within(row).getByTestId('suppression-end'));
  await waitFor(() => expect(ended).toHaveLength(1));
});

test('the report lists what stands, what is noisy and what nobody acknowledged', async () => {
  answer<GetAlarmReportData, GetAlarmReportResponse>('get', '/api/v1/event/alarmlog/report', {
    stale: [alarm({ title: 'Stands long' })],
    stale_total: 1,
    never_acknowledged: [],
    never_acknowledged_total: 0,
    noisy: [
      {
        rule_id: 8,
        device_id: 5,
        device_title: 'Boiler house',
        dsid: 11,
        ds_title: 'Pressure',
        alarm_type: 1,
        title: 'Flaps',
        count: 99,
      },
    ],
  });
  await centre('/alarm/alarmlog?view=report');
  const report = await screen.findByTestId('alarm-report');
  await within(report).findByText('Stands long');
  expect(report.textContent).toContain('× 99');
  expect(report.textContent).toContain('Pressure');
});

test('the drawer shows the limit, the trigger and who did what', async () => {
  const reason = {
    trigger_id: 7,
    trigger: 'Boiler',
    delay_s: 5,
    condition: { type: 1, trigger_optype: 1, trigger_threshold: 90 },
  };
  const row = alarm({ rule_id: 8, reason, dsid: null });
  answer<ListAlarmLinkagesData, ListAlarmLinkagesResponse>('get', LINKAGES, []);
  answer<GetAlarmData, GetAlarmResponse>('get', '/api/v1/event/alarmlog/{event_id}', {
    alarm: row,
    suppressions: [],
    changes: [
      { id: 1, what: 'raised', before: 'normal', after: 'unacknowledged', at_ms: 1, user_name: '', note: '' },
      { id: 2, what: 'shelved', before: 'unacknowledged', after: 'shelved', at_ms: 2, user_name: 'Li', note: 'works' },
    ],
  });
  const { user } = await show(<AlarmDrawer row={row} onClose={() => undefined} />, { permissions: MAY });
  const more = await screen.findByTestId('alarm-more');
  expect(more.textContent).toContain('Above 90, for 5 s');
  expect(screen.getByTestId('alarm-trigger').getAttribute('href')).toContain('/alarm/trigger/editTrigger?id=7');
  expect((await screen.findByTestId('alarm-record')).textContent).toMatch(/Raised.*Shelved · Li · works/);
  await user.click(screen.getByTestId('acknowledge'));
  await waitFor(() => expect(acknowledged).toHaveLength(1));
});

test('shelving from the drawer of an alarm leaves its note alone', async () => {
  const row = alarm({ rule_id: 8, dsid: null });
  answer<ListAlarmLinkagesData, ListAlarmLinkagesResponse>('get', LINKAGES, []);
  answer<GetAlarmData, GetAlarmResponse>('get', '/api/v1/event/alarmlog/{event_id}', {
    alarm: row,
    suppressions: [],
    changes: [],
  });
  const asked = answer<SuppressAlarmsData, SuppressAlarmsResponse>('post', '/api/v1/event/alarmlog/suppress', {
    done: [1],
    skipped: [],
  });
  const { user } = await show(<AlarmDrawer row={row} onClose={() => undefined} />, { permissions: MAY });
  await user.click(await screen.findByTestId('shelve'));
  const reason = await screen.findByTestId('suppress-reason');
  await user.type(reason, 'works');
  await user.click(within(reason.closest('form') as HTMLElement).getByTestId('form-save'));
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(screen.getByTestId('handle-note').getAttribute('aria-invalid')).not.toBe('true');
});

test('a gateway goes into maintenance with a reason; who may not keep it cannot', async () => {
  let lasting: SuppressionRow[] = [];
  answer<ListSuppressionsData, ListSuppressionsResponse>('get', '/api/v1/event/suppression', () => ({
    rows: lasting,
    total: lasting.length,
  }));
  const begun = answer<BeginMaintenanceData, BeginMaintenanceResponse>(
    'post',
    '/api/v1/event/maintenance/{device_id}',
    () => {
      lasting = [{ ...SHELVED, kind: 'maintenance' }];
      return lasting[0] as SuppressionRow;
    },
  );
  const both = (
    <>
      <Maintenance deviceId={5} hindrance="" />
      <MaintenanceDrawer deviceId={5} onClose={() => undefined} />
    </>
  );
  const { user, unmount } = await show(both, { permissions: MAY });
  expect(screen.queryByTestId('maintenance')).toBeNull();
  await user.type(await screen.findByTestId('suppress-reason'), 'works');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(begun[0]?.body).toEqual({ duration_s: 600, reason: 'works' }));
  expect((await screen.findByTestId('maintenance')).textContent).toContain('2033');
  unmount();
  await show(<Maintenance deviceId={5} hindrance="shared" />, { permissions: MAY });
  expect((await screen.findByTestId<HTMLButtonElement>('maintenance-end')).disabled).toBe(true);
});

function onPhone(): void {
  vi.stubGlobal('matchMedia', (media: string) => ({
    media,
    matches: media.includes('max-width: 767px'),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
}

test.each([
  ['en', ['Acknowledge', 'Handled', 'False alarm', 'Shelve', 'Delete']],
  ['zh', ['确认', '已处理', '误报', '搁置', '删除']],
] as const)('on a phone a card says what can be done in words, shelving too (%s)', async (language, words) => {
  onPhone();
  rows = [alarm({ rule_id: 4 })];
  const asked = answer<SuppressAlarmsData, SuppressAlarmsResponse>('post', '/api/v1/event/alarmlog/suppress', {
    done: [1],
    skipped: [],
  });
  const { user } = await show(<AlarmLog />, { permissions: MAY, language, at: '/alarm/alarmlog' });
  const [card] = await screen.findAllByTestId('alarms-row');
  const buttons = within(card as HTMLElement).getAllByRole('button');
  expect(buttons.map(({ textContent }) => textContent)).toEqual(words);
  expect(buttons.at(-1)?.getAttribute('data-kind')).toBe('remove');
  await user.click(within(card as HTMLElement).getByTestId('shelve-row'));
  await user.type(await screen.findByTestId('suppress-reason'), 'pump is being cleaned');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(asked[0]?.body).toMatchObject({ ids: [1], reason: 'pump is being cleaned' }));
});

test('on a phone deleting asks first, and a recovery cannot be shelved', async () => {
  onPhone();
  rows = [alarm({ alarm_type: 0, status: 1, state: 'normal', rule_id: 4 })];
  const { user } = await centre();
  const [card] = await screen.findAllByTestId('alarms-row');
  expect(within(card as HTMLElement).queryByTestId('shelve-row')).toBeNull();
  await user.click(within(card as HTMLElement).getByTestId('row-remove'));
  expect(await screen.findByRole('dialog')).toBeDefined();
});

const LINK = '/alarm/alarmlog?event=9';

test('a link of a message opens its alarm, which says who was told of it', async () => {
  const detail = { alarm: alarm({ id: 9, title: 'Linked', dsid: null }), suppressions: [], changes: [] };
  answer<GetAlarmData, GetAlarmResponse>('get', '/api/v1/event/alarmlog/9' as GetAlarmData['url'], detail);
  const sent = { contact_id: 7, group_id: null, address: 'li@example.com', is_test: false, detail: '', receipt: '' };
  const rest = { subject: '', count: 1, events: [], attempts: 1, created_ms: 1, due_ms: 1, sent_ms: 1 };
  notified({
    reached: 1,
    deliveries: [
      { ...sent, ...rest, id: 1, name: 'Li', channel: 'email', state: 'sent', reason: '' },
      { ...sent, ...rest, id: 2, name: 'Wang', channel: '', state: 'dropped', reason: 'no_address', sent_ms: null },
    ],
  });
  await centre(LINK);
  const told = await screen.findByTestId('alarm-notified');
  expect(told.textContent).toContain('1 recipient was told');
  const lines = within(told).getAllByRole('listitem');
  expect(lines[0]?.textContent).toMatch(/^Li · Email · Sent · /);
  expect(lines[1]?.textContent).toMatch(/^Wang · Not sent · There is no address for this channel · /);
});

test('an alarm of which nobody was told says why', async () => {
  const detail = { alarm: alarm({ id: 9, dsid: null }), suppressions: [], changes: [] };
  answer<GetAlarmData, GetAlarmResponse>('get', '/api/v1/event/alarmlog/9' as GetAlarmData['url'], detail);
  notified({ problem: 'no_group' });
  await centre(LINK);
  const told = await screen.findByTestId('alarm-notified');
  expect(told.textContent).toContain('Nobody was told · No contact group is for it');
});

test('a link to an alarm that is gone says so', async () => {
  refuse<GetAlarmData>('get', '/api/v1/event/alarmlog/9' as GetAlarmData['url'], { status: 404 });
  await centre(LINK);
  expect(await screen.findByTestId('alarm-gone')).toBeDefined();
});
