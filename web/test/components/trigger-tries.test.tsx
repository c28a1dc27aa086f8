import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  GetTriggerData,
  GetTriggerResponse,
  ListPresetsData,
  ListPresetsResponse,
  TryTriggerData,
  TryTriggerResponse,
} from '@/api/generated/types.gen';
import EditTrigger from '@/features/triggers/screens/EditTrigger';
import { formatDateTime } from '@/lib/time';
import { answer } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';
import { QUIET, RULE, surroundings, trigger } from './trigger-fixtures';

vi.mock('@/charts/TimeChart', () => import('./chart-double'));

vi.mock('@/blocks/history/api', async (original) => ({
  ...(await original<object>()),
  packedQuery: () => ({ queryKey: ['packed'], queryFn: () => ({ points: [], startMs: 0, endMs: 1 }) }),
}));

const MAY = ['Trigger/index', 'Event', 'Device/cmd', 'Monitor.DeviceMonitor'];
const URL = '/api/v1/trigger';
beforeEach(surroundings);

async function editor(row = trigger()): Promise<Rendered> {
  answer<GetTriggerData, GetTriggerResponse>('get', `${URL}/{trigger_id}` as GetTriggerData['url'], row);
  const page = await show(<EditTrigger />, { permissions: MAY, at: '/alarm/trigger/editTrigger?id=1' });
  await screen.findByTestId('trigger-title');
  return page;
}

test('the period of a try is chosen; what it could not look at is said, and since when there was data', async () => {
  const { user } = await editor();
  const from = 1_790_000_000_000;
  const tried: Call[] = answer<TryTriggerData, TryTriggerResponse>('post', '/api/v1/trigger/backtest', {
    ...QUIET,
    upto_ms: from + 60_000,
    coverage: [{ dsid: 11, covered: 0.2, from_ms: from, samples: 5, rolled_up: false }],
  });
  type Body = { start_ms: number; end_ms: number };
  const days = (): number[] => [
    ...new Set(tried.map(({ body }) => ((body as Body).end_ms - (body as Body).start_ms) / 86_400_000)),
  ];
  await user.click(screen.getByText('30 days'));
  await user.click(screen.getByTestId('backtest'));
  const outcome = await screen.findByTestId('backtest-outcome');
  const told = outcome.parentElement as HTMLElement;
  expect(told.textContent).toContain(`since ${formatDateTime(from)}`);
  expect(told.textContent).toContain(`tried up to ${formatDateTime(from + 60_000)} only`);
  await waitFor(() => expect(days()).toContain(30));
  await waitFor(() => expect(screen.getAllByTestId('tried-upto').length).toBe(2), { timeout: 3000 });
  expect(screen.queryByTestId('rule-now')).toBeNull();
});

test('a rule is tried on stored data, and an outcome of other entries says so', async () => {
  const { user } = await editor();
  const tried: Call[] = answer<TryTriggerData, TryTriggerResponse>('post', '/api/v1/trigger/backtest', {
    ...QUIET,
    count: 3,
    short: 2,
    raised_ms: 90_000,
    samples: 500,
    episodes: [
      { raised_ms: 1_790_000_000_000, cleared_ms: 1_790_000_010_000, condition: 0, value: 91.5 },
      { raised_ms: 1_790_000_020_000, cleared_ms: null, condition: 0, value: 97 },
    ],
  });
  await user.click(screen.getByTestId('backtest'));
  const outcome = await screen.findByTestId('backtest-outcome');
  expect(outcome.textContent).toContain('3 alarms, of which 2 shorter than 20 s');
  expect(screen.getByText('91.5')).toBeDefined();
  expect(screen.getByText('Not ended')).toBeDefined();
  type Body = { rule: { title: string }; start_ms: number; end_ms: number };
  const [body] = tried.map((each) => each.body as Body).filter(({ rule }) => rule.title === RULE.title) as [Body]; // not the preview
  expect(body.rule).toEqual(RULE);
  expect(body.end_ms - body.start_ms).toBe(86_400_000);
  await user.type(screen.getByTestId('rules.0-delay'), '0');
  await waitFor(() => expect(outcome.textContent).toContain('other entries'));
});

test.each([
  [[1], /No alarm in this period/, 'Temperature: 100 % (5 samples)'],
  [[0.4567], /in the part of this period that is known/, 'Temperature: 45.6 % (5 samples)'],
  [[0], /cannot be said/, 'Temperature: no data'],
  [[1, 0], /in the part/, '#99: no data'],
])('a rule that had no data is not called quiet: %j', async (shares, words, point) => {
  const { user } = await editor();
  answer<TryTriggerData, TryTriggerResponse>('post', '/api/v1/trigger/backtest', {
    ...QUIET,
    coverage: shares.map((covered, at) => ({
      dsid: at === 0 ? 11 : 99,
      covered,
      from_ms: null,
      samples: 5,
      rolled_up: at === 0,
    })),
  });
  await user.click(screen.getByTestId('backtest'));
  const outcome = await screen.findByTestId('backtest-outcome');
  expect(outcome.textContent).toMatch(words);
  const list = outcome.parentElement?.querySelector('[data-testid=coverage]') as HTMLElement;
  await waitFor(() => expect(list.textContent).toContain(point));
  expect(list.textContent).toContain('Tried on raw samples');
  expect(list.textContent).toContain('only rollups are left');
});

test('a threshold that is moved in the preview is typed in the form, and how everything is now comes from the cloud', async () => {
  const { user } = await editor(
    trigger({
      rules: [
        { ...RULE, conditions: [{ ...RULE.conditions[0]!, deadband: 5 }], version: 1, home: 'cloud', state: null },
      ],
    }),
  );
  const tried: Call[] = answer<TryTriggerData, TryTriggerResponse>('post', '/api/v1/trigger/backtest', {
    ...QUIET,
    count: 1,
    episodes: [{ raised_ms: 5, cleared_ms: 7, condition: 0, value: 95 }],
    holds: true,
    at_end: [{ is_true: true, value: 95, t_ms: 1_790_000_000_000 }],
  });
  const handle = await screen.findByTestId('move-threshold');
  expect(handle.textContent).toBe('90 85');
  await user.click(handle);
  expect(screen.getByTestId<HTMLInputElement>('rules.0.conditions.0-threshold').value).toBe('91.5');
  await waitFor(() => expect(screen.getByTestId('rule-now').dataset.holds).toBe('true'), { timeout: 3000 });
  const newest = (): { rule: typeof RULE; start_ms: number; end_ms: number } => tried.at(-1)?.body as never;
  await waitFor(() => expect(newest().rule.conditions[0]?.trigger_threshold).toBe(91.5), { timeout: 3000 });
  expect(newest().end_ms - newest().start_ms).toBe(86_400_000);
  expect(screen.getByTestId('time-chart').dataset.spans).toBe('[{"startMs":5,"endMs":7,"isAlarm":true}]');
  expect(screen.getByTestId('condition-now').textContent).toMatch(/Condition 1 · Temperature95/);
  const before = tried.length;
  await user.click(screen.getByTestId('test-now'));
  await waitFor(() => expect(tried.length).toBeGreaterThan(before));
});

test('the presets of a gateway are a link away, and where to make the first is said', async () => {
  const linked = { ...RULE, linkage: [{ on: 'raised' as const, preset_id: 3 }] };
  answer<ListPresetsData, ListPresetsResponse>(
    'get',
    '/api/v1/device/{device_id}/preset' as ListPresetsData['url'],
    {
      rows: [],
      total: 0,
    } as unknown as ListPresetsResponse['data'],
  );
  const { user, went } = await editor(
    trigger({
      rules: [{ ...linked, version: 1, home: 'cloud', state: null }],
      presets: [{ id: 3, title: 'Off', device_id: 5, device_title: 'Boiler house' }],
    }),
  );
  const place = await screen.findByTestId('rules.0.linkage.0-presets');
  expect(place.textContent).toContain('no presets yet');
  await user.type(screen.getByTestId('trigger-title'), ' 2');
  await user.click(within(place).getByRole('link', { name: 'Presets of this gateway' }));
  await waitFor(() => expect(went()).toBe('/deviceDetail/index?device_id=5&tab=command'));
  expect(screen.getByTestId<HTMLInputElement>('trigger-title').value).toBe('Boiler 2');
});
