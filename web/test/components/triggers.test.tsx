import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  ChangeTriggerData,
  ChangeTriggerResponse,
  EndSuppressionData,
  EndSuppressionResponse,
  EnableTriggerData,
  EnableTriggerResponse,
  GetTriggerData,
  GetTriggerResponse,
  ListTriggersData,
  ListTriggersResponse,
  SuppressRuleData,
  SuppressRuleResponse,
  TriggerRow,
} from '@/api/generated/types.gen';
import EditTrigger from '@/features/triggers/screens/EditTrigger';
import TriggerList from '@/features/triggers/screens/TriggerList';
import { SHELVED } from './alarm-fixtures';
import { connectLive } from './live';
import { answer, refuse } from './network';
import { show } from './render';
import type { Rendered } from './render';
import { RULE, surroundings, trigger } from './trigger-fixtures';

vi.mock('@/charts/TimeChart', () => import('./chart-double'));

vi.mock('@/blocks/history/api', async (original) => ({
  ...(await original<object>()),
  packedQuery: () => ({ queryKey: ['packed'], queryFn: () => ({ points: [], startMs: 0, endMs: 1 }) }),
}));

const MAY = ['Trigger/index', 'Event', 'Device/cmd', 'Monitor.DeviceMonitor'];
const URL = '/api/v1/trigger';
beforeEach(surroundings);

async function list(...rows: TriggerRow[]): Promise<Rendered> {
  answer<ListTriggersData, ListTriggersResponse>('get', URL, { rows, total: rows.length });
  const page = await show(<TriggerList />, { permissions: MAY });
  await waitFor(() => expect(screen.queryAllByTestId('triggers-row')).toHaveLength(rows.length));
  return page;
}

async function editor(row = trigger()): Promise<Rendered> {
  answer<GetTriggerData, GetTriggerResponse>('get', `${URL}/{trigger_id}` as GetTriggerData['url'], row);
  const page = await show(<EditTrigger />, { permissions: MAY, at: '/alarm/trigger/editTrigger?id=1' });
  await screen.findByTestId('trigger-title');
  return page;
}

const raised = { ...RULE, version: 1, home: 'gateway' as const, state: { since_ms: 1, raised_ms: 1_790_000_000_000 } };

test.each([
  [trigger(), /^Normal$/],
  [trigger({ rules: [raised] }), /^Alarm since /],
  [trigger({ enabled: false, rules: [raised] }), /^Disabled$/],
  [trigger({ problem: 'point_removed' }), /no longer exists/],
])('a trigger says what it is at: %#', async (row, words) => {
  await list(row);
  expect(screen.getAllByText(words).length).toBeGreaterThan(0);
  expect(screen.getByText('Boiler house · Boiler · Temperature')).toBeDefined();
});

test('a trigger says where its rules are evaluated', async () => {
  const pending = { ...raised, id: 2, home: 'gateway_pending' as const };
  await list(trigger({ rules: [raised, pending, { ...raised, id: 3 }] }));
  expect(screen.getAllByTestId('trigger-home').map(({ textContent }) => textContent)).toEqual([
    'Gateway',
    'Gateway, not confirmed yet',
  ]);
});

test('a state that an alarm changed is asked for again', async () => {
  const { push } = await connectLive();
  await list(trigger());
  const calls = answer<ListTriggersData, ListTriggersResponse>('get', URL, { rows: [], total: 0 });
  push({ type: 'alarm', did: 7, id: 1, event: 'new', at: 1, alarm_type: 1, pid: 0 });
  await waitFor(() => expect(calls).toHaveLength(1));
});

test('a trigger is switched off in the list', async () => {
  const { user } = await list(trigger());
  const switched = answer<EnableTriggerData, EnableTriggerResponse>(
    'put',
    '/api/v1/trigger/{trigger_id}/enabled' as EnableTriggerData['url'],
    trigger({ enabled: false }),
  );
  await user.click(screen.getByTestId('trigger-enabled'));
  await waitFor(() => expect(switched.map(({ body }) => body)).toEqual([{ enabled: false }]));
});

test('an empty list says what a trigger is for', async () => {
  await list();
  expect(await screen.findByText('No triggers yet')).toBeDefined();
});

test('a changed limit is saved with everything else as it was', async () => {
  const { user, went } = await editor();
  const saved = answer<ChangeTriggerData, ChangeTriggerResponse>(
    'put',
    `${URL}/{trigger_id}` as ChangeTriggerData['url'],
    trigger({ changed_ms: 7 }),
  );
  const limit = screen.getByTestId('rules.0.conditions.0-threshold');
  await user.clear(limit);
  await user.type(limit, '95.5');
  await user.click(screen.getByTestId('trigger-save'));
  await waitFor(() => expect(saved).toHaveLength(1));
  const condition = { ...RULE.conditions[0], trigger_threshold: 95.5 };
  expect(saved[0]?.body).toEqual({
    base: 0,
    title: 'Boiler',
    type: 1,
    mode: 1,
    interval_s: 0,
    enabled: true,
    rules: [{ ...RULE, conditions: [condition] }],
  });
  await waitFor(() => expect(went()).toBe('/alarm/trigger'));
});

test('what is needed is asked for before anything is sent', async () => {
  const { user } = await editor();
  await user.clear(screen.getByTestId('rules.0.conditions.0-threshold'));
  await user.click(screen.getByTestId('rules.0-add-condition'));
  await user.click(screen.getByTestId('trigger-save'));
  expect((await screen.findAllByText('Required')).length).toBe(3);
});

test('a refusal is shown', async () => {
  const { user } = await editor();
  refuse('put', `${URL}/{trigger_id}`, {
    status: 400,
    code: 10002,
    data: { field: 'rules.0.conditions.0.clear', rule: 'at most the threshold', reason: '' },
  });
  await user.type(screen.getByTestId('trigger-title'), ' 2');
  await user.click(screen.getByTestId('trigger-save'));
  await waitFor(() => expect(screen.queryAllByText(/at most|Request parameter error/i).length).toBeGreaterThan(0));
});

const MOVED = {
  status: 409,
  data: { reason: 'trigger.moved', arguments: { user: 'olga', changed_ms: 7 } },
};

async function moved(): Promise<Rendered> {
  const page = await editor();
  refuse('put', `${URL}/{trigger_id}`, MOVED);
  await page.user.type(screen.getByTestId('trigger-title'), ' 2');
  await page.user.click(screen.getByTestId('trigger-save'));
  expect((await screen.findByTestId('trigger-moved')).textContent).toContain('olga saved it at');
  return page;
}

test('who saves later than somebody else may replace the new version, with rules that went as new ones', async () => {
  const { user, went } = await moved();
  const there = trigger({ changed_ms: 7, rules: [] });
  answer<GetTriggerData, GetTriggerResponse>('get', `${URL}/{trigger_id}` as GetTriggerData['url'], there);
  const saved = answer<ChangeTriggerData, ChangeTriggerResponse>(
    'put',
    `${URL}/{trigger_id}` as ChangeTriggerData['url'],
    trigger({ changed_ms: 8 }),
  );
  await user.click(screen.getByTestId('moved-over'));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.body).toMatchObject({ base: 7, title: 'Boiler 2', rules: [{ id: null, title: 'Too hot' }] });
  await waitFor(() => expect(went()).toBe('/alarm/trigger'));
});

test('or begin with it, or go on', async () => {
  const { user } = await moved();
  await user.click(screen.getByTestId('moved-on'));
  await waitFor(() => expect(screen.queryByTestId('moved-on')).toBeNull());
  expect(screen.getByTestId<HTMLInputElement>('trigger-title').value).toBe('Boiler 2');
  await user.click(screen.getByTestId('trigger-save'));
  const there = trigger({ title: 'Theirs', changed_ms: 7 });
  answer<GetTriggerData, GetTriggerResponse>('get', `${URL}/{trigger_id}` as GetTriggerData['url'], there);
  await user.click(await screen.findByTestId('moved-reload'));
  await waitFor(() => expect(screen.getByTestId<HTMLInputElement>('trigger-title').value).toBe('Theirs'));
  expect(screen.queryByTestId('moved-on')).toBeNull();
});

test('a rule is shelved from the list, and a toast takes it back', async () => {
  const { user } = await list(trigger({ rules: [raised, { ...raised, id: 9, title: 'Too cold' }] }));
  const made = answer<SuppressRuleData, SuppressRuleResponse>(
    'post',
    '/api/v1/trigger/1/rule/9/suppress' as SuppressRuleData['url'],
    [31, 32],
  );
  const ended: string[] = [];
  for (const id of [31, 32])
    answer<EndSuppressionData, EndSuppressionResponse>(
      'delete',
      `/api/v1/event/suppression/${id}` as EndSuppressionData['url'],
      () => {
        ended.push(String(id));
        return null;
      },
    );
  await user.click(screen.getByTestId('rest-rule'));
  await user.click((await screen.findAllByTestId('rest-rule-choice'))[1] as HTMLElement);
  await user.type(await screen.findByTestId('suppress-reason'), 'works');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(made[0]?.body).toEqual({ kind: 'shelved', duration_s: 600, reason: 'works' }));
  await user.click(await screen.findByTestId('undo'));
  await waitFor(() => expect(ended.toSorted()).toEqual(['31', '32']));
});

test('a trigger that is kept quiet says until when, by whom and why, and is ended there at all its gateways', async () => {
  const shelved = { ...SHELVED, until_ms: Date.now() + 60_000 };
  const other = { ...shelved, id: 6, device_id: 6 };
  const over = { ...shelved, id: 7, until_ms: Date.now() - 1, begin_ms: 0 };
  const ended = answer<EndSuppressionData, EndSuppressionResponse>(
    'delete',
    '/api/v1/event/suppression/{suppression_id}' as EndSuppressionData['url'],
    null,
  );
  const { user } = await list(trigger({ suppressions: [shelved, other, over] }));
  const quiet = await screen.findByTestId('kept-quiet');
  expect(quiet.textContent).toMatch(/^Shelved until \S+ by Li: pump is being repaired/);
  await user.click(within(quiet).getByTestId('suppression-end'));
  await waitFor(() => expect(ended).toHaveLength(2));
});

test('linkages that may answer themselves, and that rested, are told in the list and in the form', async () => {
  const row = trigger({
    problem: 'linkage_limited',
    loops: [{ dsid: 11, trigger_id: 1, title: 'Too hot' }],
    rest: { since_ms: 1_790_000_000_000, is_over: false, left_out: 7 },
  });
  await editor(row);
  expect(screen.getByTestId('linkages-rest').textContent).toContain('7 linkages were not carried out.');
  expect(screen.getByTestId('trigger-loops').textContent).toContain('the rule Too hot watches');
});

test.each([
  ['body.rules.0.alarm_type', 'trigger.no_level', { level: 201 }, 'Alarm level 201 does not exist'],
  ['rules.0.conditions.0.trigger_threshold', 'constraint.number', {}, 'Must be a number'],
  ['body.rules.0.again_s', 'constraint.at_most', { limit: 9 }, 'Must be at most 9'],
])('what the cloud refuses stands at its field: %s', async (field, reason, args, words) => {
  const { user } = await editor();
  refuse('put', `${URL}/{trigger_id}`, {
    status: 400,
    code: 10_002,
    data: { field, rule: 'x', reason, arguments: args },
  });
  await user.type(screen.getByTestId('trigger-title'), ' 2');
  await user.click(screen.getByTestId('trigger-save'));
  const told = await screen.findByText(words);
  expect(told.className).toContain('error');
  expect(screen.queryByTestId('form-failure')).toBeNull();
});

test('a trigger of a point leads to the point and cannot be switched or changed here', async () => {
  const origin = { device_id: 5, slave: 'boiler', ds_name: 'temperature' };
  await list(trigger({ origin }));
  expect(screen.getByText('From the alarm settings of its point')).toBeDefined();
  expect(screen.queryByTestId('trigger-enabled')).toBeNull();
  answer<GetTriggerData, GetTriggerResponse>(
    'get',
    `${URL}/{trigger_id}` as GetTriggerData['url'],
    trigger({ origin }),
  );
  await show(<EditTrigger />, {
    permissions: [...MAY, 'DeviceManage', 'Monitor.DeviceMonitor'],
    at: '/alarm/trigger/editTrigger?id=1',
  });
  const link = await screen.findByText('Open the alarm settings of the point');
  expect(link.getAttribute('href')).toContain('/device/gateway/slavedevice?device_id=5&slave=boiler&group=alarm');
});
