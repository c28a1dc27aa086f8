import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type {
  AlarmRow,
  EndSuppressionData,
  EndSuppressionResponse,
  GetAlarmCountsData,
  GetAlarmCountsResponse,
  GetAlarmData,
  GetAlarmResponse,
  GetOptionData,
  GetOptionResponse,
  ListAlarmLinkagesData,
  ListAlarmLinkagesResponse,
  ListAlarmsData,
  ListAlarmsResponse,
  ListSuppressionsData,
  ListSuppressionsResponse,
  SuppressAlarmsData,
  SuppressAlarmsResponse,
} from '@/api/generated/types.gen';
import { AlarmDrawer } from '@/features/events/components/AlarmDrawer';
import { AlarmFacts } from '@/features/events/components/AlarmFacts';
import AlarmLog from '@/features/events/screens/AlarmLog';
import { alarm, notified, SHELVED } from './alarm-fixtures';
import { answer } from './network';
import { show } from './render';
import type { Rendered } from './render';

const MAY = ['Event', 'Monitor.DeviceMonitor', 'Device/save'];
const LINKAGES: ListAlarmLinkagesData['url'] = '/api/v1/event/alarmlog/{event_id}/linkage';

const SINCE = Date.now() - 12.5 * 60_000;

let rows: AlarmRow[];

beforeEach(() => {
  notified();
  rows = [alarm()];
  answer<GetOptionData, GetOptionResponse>('get', '/api/v1/option', {
    name: 'alarm_levels',
    value: [],
  } as unknown as GetOptionResponse['data']);
  answer<GetAlarmCountsData, GetAlarmCountsResponse>('get', '/api/v1/event/alarmlog/counts', {
    active: 1,
    unhandled: 1,
    states: {},
    levels: {},
    suppressions: { shelved: 1, maintenance: 1 },
    new: 0,
    flood: false,
  });
  answer<ListAlarmsData, ListAlarmsResponse>('get', '/api/v1/event/alarmlog', () => ({ rows, total: rows.length }));
});

async function centre(): Promise<Rendered> {
  return show(<AlarmLog />, { permissions: MAY, at: '/alarm/alarmlog' });
}

test('the list of what is active says what is kept quiet, by kind, and leads to it', async () => {
  const { user } = await centre();
  await screen.findAllByTestId('alarms-row');
  const kinds = await screen.findByTestId('quiet-kinds');
  expect(
    within(kinds)
      .getAllByRole('button')
      .map(({ textContent }) => textContent),
  ).toEqual(['Shelved 1', 'Maintenance 1']);
  const asked = answer<ListSuppressionsData, ListSuppressionsResponse>('get', '/api/v1/event/suppression', {
    rows: [SHELVED],
    total: 1,
  });
  await user.click(within(kinds).getByTestId('quiet-shelved'));
  await waitFor(() => expect(asked.at(-1)?.query.get('kind')).toBe('shelved'));
});

test.each([
  ['stands', {}, '12 min so far'],
  ['is over', { recovered_ms: SINCE + 5000, state: 'latched' as const }, '5 s'],
  ['is a recovery', { alarm_type: 0, state: 'normal' as const }, '–'],
  ['began nobody knows when', { since_ms: null }, '–'],
])('an alarm that %s says how long it lasted: %j', async (_what, changes, words) => {
  await show(<AlarmFacts row={alarm({ since_ms: SINCE, ...changes })} />, { permissions: MAY });
  const term = await screen.findByText('Duration');
  expect(term.nextElementSibling?.textContent).toBe(words);
});

test('the row of an alarm has shelving, one of no rule has not', async () => {
  rows = [alarm({ rule_id: 8 }), alarm({ id: 2 })];
  const asked = answer<SuppressAlarmsData, SuppressAlarmsResponse>('post', '/api/v1/event/alarmlog/suppress', {
    done: [1],
    skipped: [],
  });
  const { user } = await centre();
  const [first, second] = await screen.findAllByTestId('alarms-row');
  expect(within(second as HTMLElement).queryByTestId('shelve-row')).toBeNull();
  await user.click(within(first as HTMLElement).getByTestId('shelve-row'));
  await user.type(await screen.findByTestId('suppress-reason'), 'works');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(asked[0]?.body).toMatchObject({ ids: [1], kind: 'shelved', reason: 'works' }));
});

test('the drawer of an alarm shows how it is now, until when it is shelved, and ends that', async () => {
  const row = alarm({ rule_id: 8, dsid: null });
  answer<ListAlarmLinkagesData, ListAlarmLinkagesResponse>('get', LINKAGES, []);
  let detail: GetAlarmResponse['data'] = { alarm: row, suppressions: [], changes: [] };
  answer<GetAlarmData, GetAlarmResponse>('get', '/api/v1/event/alarmlog/{event_id}', () => detail);
  answer<SuppressAlarmsData, SuppressAlarmsResponse>('post', '/api/v1/event/alarmlog/suppress', () => {
    detail = { ...detail, alarm: { ...row, state: 'shelved', quiet: 'shelved' }, suppressions: [SHELVED] };
    return { done: [1], skipped: [] };
  });
  const ended = answer<EndSuppressionData, EndSuppressionResponse>(
    'delete',
    '/api/v1/event/suppression/{suppression_id}',
    () => {
      detail = { ...detail, alarm: row, suppressions: [] };
      return null;
    },
  );
  const { user } = await show(<AlarmDrawer row={row} onClose={() => undefined} />, { permissions: MAY });
  await user.click(await screen.findByTestId('shelve'));
  const reason = await screen.findByTestId('suppress-reason');
  await user.type(reason, 'works');
  await user.click(within(reason.closest('form') as HTMLElement).getByTestId('form-save'));
  const quiet = await screen.findByTestId('kept-quiet');
  expect(quiet.textContent).toMatch(/^Shelved until 2033.* by Li: pump is being repaired/);
  await waitFor(() => expect(screen.getByTestId('alarm-facts').textContent).toContain('Shelved'));
  await user.click(within(quiet).getByTestId('suppression-end'));
  await waitFor(() => expect(ended).toHaveLength(1));
  await waitFor(() => expect(screen.queryByTestId('kept-quiet')).toBeNull());
  expect(screen.getByTestId('alarm-facts').textContent).toContain('Not acknowledged');
});
