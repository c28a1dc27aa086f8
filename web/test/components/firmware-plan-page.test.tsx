import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type {
  CancelFirmwarePlanData,
  GetFirmwarePlanData,
  GetFirmwarePlanResponse,
  ListPlanUpgradesData,
  ListPlanUpgradesResponse,
  PreviewFirmwarePlanData,
  PreviewFirmwarePlanResponse,
  StartFirmwarePlanData,
  StartFirmwarePlanResponse,
} from '@/api/generated/types.gen';
import { queryClient } from '@/app/queryClient';
import { AccessPasswordDialog } from '@/blocks/access/AccessPasswordDialog';
import { planQuery, PLAN_STATES, STEPS } from '@/features/firmware/api';
import type { PlanDetail, PlanHindrance, PlanPreview, Step, UpgradeRow } from '@/features/firmware/api';
import Firmware from '@/features/firmware/screens/Firmware';
import { clearAccessPasswords } from '@/lib/accessPasswords';
import { begun, DRAFT, MAY, PLAN_URL, PREVIEW, UPGRADE } from './firmware-fixtures';
import { answer, refuse } from './network';
import type { Call } from './network';
import { query } from './permission-fixtures';
import { show } from './render';
import type { Rendered } from './render';

const RUNS = (version: number): UpgradeRow['running'] => ({
  name: 'edge-agent',
  version,
  version_text: `${version}.0`,
  reported_ms: 4,
  went_back: false,
});

type OfPlan = '/api/v1/firmware/plan/{plan_id}/start';
const urlOf = (step: string): OfPlan => `${PLAN_URL}/${step}` as OfPlan;

interface Given {
  preview?: PlanPreview;
  rows?: UpgradeRow[];
  search?: string;
  permissions?: readonly string[];
}

async function page(plan: PlanDetail, given: Given = {}): Promise<Rendered & { asked: Call[] }> {
  const { preview = PREVIEW, rows = [UPGRADE], search = '', permissions = MAY } = given;
  answer<GetFirmwarePlanData, GetFirmwarePlanResponse>('get', PLAN_URL, plan);
  answer<PreviewFirmwarePlanData, PreviewFirmwarePlanResponse>(
    'get',
    `${PLAN_URL}/preview` as PreviewFirmwarePlanData['url'],
    preview,
  );
  const asked = answer<ListPlanUpgradesData, ListPlanUpgradesResponse>(
    'get',
    `${PLAN_URL}/upgrade` as ListPlanUpgradesData['url'],
    { rows, total: rows.length },
  );
  const at = `/ota/firmware?plan=7${search}`;
  const shown = await show(
    <>
      <Firmware />
      <AccessPasswordDialog />
    </>,
    { permissions, flags: { ot: 1 }, at },
  );
  await screen.findByTestId('plan-page');
  if (plan.actions.includes('start')) await screen.findByTestId('preview-total');
  return { ...shown, asked };
}

/** Steps that are offered, and of these the ones that work. */
function offered(): { all: string[]; on: string[] } {
  const all = STEPS.filter((step) => screen.queryByTestId(`plan-${step}`) !== null);
  return { all, on: all.filter((step) => screen.getByTestId(`plan-${step}`).getAttribute('aria-disabled') !== 'true') };
}

function done(step: Step, plan: PlanDetail): Call[] {
  return answer<StartFirmwarePlanData, StartFirmwarePlanResponse>('post', urlOf(step), plan);
}

const BUTTONS: Readonly<Record<(typeof PLAN_STATES)[number], readonly Step[]>> = {
  draft: ['start'],
  running: ['pause', 'retry', 'rollback', 'cancel'],
  paused: ['resume', 'retry', 'rollback', 'cancel'],
  finished: ['start', 'retry', 'rollback'],
  cancelled: ['start', 'retry', 'rollback'],
};

test.each(PLAN_STATES)('a plan that is %s has the buttons that the cloud takes, and no others', async (state) => {
  await page(state === 'draft' ? DRAFT : begun(state));
  expect(offered()).toEqual({ all: BUTTONS[state], on: BUTTONS[state] });
  expect(screen.getByTestId('plan-edit').getAttribute('aria-disabled') === 'true').toBe(state === 'running');
});

test.each<[PlanHindrance, Step[], string]>([
  [
    { code: 'no_url', actions: ['resume', 'retry', 'rollback'] },
    ['cancel'],
    'Resume, Retry failed only, Roll back: Gateways cannot download files',
  ],
  [{ code: 'disabled', actions: ['resume', 'retry'] }, ['rollback', 'cancel'], 'The plan is disabled'],
  [{ code: 'not_approved', actions: ['resume', 'retry'] }, ['rollback', 'cancel'], 'A second person must approve'],
  [{ code: 'key_gone', actions: ['resume', 'retry'] }, ['rollback', 'cancel'], 'is not trusted'],
  [{ code: 'nothing_failed', actions: ['retry'] }, ['resume', 'rollback', 'cancel'], 'No gateway has failed'],
  [
    { code: 'nothing_moved', actions: ['rollback'] },
    ['resume', 'retry', 'cancel'],
    'Roll back: No gateway has been upgraded',
  ],
])('what a paused plan would be refused for %o is off, with the reason beside it', async (hindrance, on, words) => {
  await page(begun('paused', { hindrances: [hindrance] }));
  expect(offered().on).toEqual(on);
  expect(screen.getByTestId('plan-hindrances').textContent).toContain(words);
});

test('who changed a plan last cannot approve it, and the button says so', async () => {
  const rules = { ...DRAFT.rules, approval: true };
  const hindrances: PlanHindrance[] = [
    { code: 'not_approved', actions: ['start'] },
    { code: 'same_person', actions: ['approve'] },
  ];
  await page({ ...DRAFT, rules, hindrances, actions: ['approve', 'start', 'change'] });
  expect(offered()).toEqual({ all: ['approve', 'start'], on: [] });
  expect(screen.getByTestId('plan-notice-approval').textContent).toContain('Someone other than li');
  expect(screen.getByTestId('plan-hindrances').textContent).toContain('Approve: You changed it last');
});

test.each<[PlanHindrance['code'], string]>([
  ['no_url', 'the administrator must set EDGE_FIRMWARE_URL'],
  ['empty_range', 'There is no gateway in its range'],
  ['nobody_fits', 'the preview says why'],
  ['nobody_more', 'in the plan already'],
])('a start that would be refused for %s is off and says so', async (code, words) => {
  await page({ ...DRAFT, hindrances: [{ code, actions: ['start'] }] });
  expect(offered()).toEqual({ all: ['start'], on: [] });
  expect(screen.getByTestId('plan-hindrances').textContent).toContain(words);
});

test('the preview names what does not fit, with what the file has and the gateways have', async () => {
  const faults: PlanPreview['faults'] = [
    { code: 'model', file: 'gw-200, gw-300', gateway: 'gw-100', count: 4, titles: ['A', 'B', 'C'] },
    { code: 'older', file: '2', gateway: '7', count: 1, titles: ['D'] },
    { code: 'security_version', file: '1', gateway: '3', count: 1, titles: ['D'] },
    { code: 'upgrade_type', file: '2', gateway: '', count: 1, titles: ['E'] },
    { code: 'no_firmware', file: '', gateway: '', count: 1, titles: ['F'] },
  ];
  await page(DRAFT, { preview: { total: 0, offline: 0, waves: [], skipped: [{ code: 'model', count: 4 }], faults } });
  expect(screen.getByTestId('preview-model').textContent).toBe('Wrong model4');
  const named = within(screen.getByTestId('preview-faults')).getAllByRole('listitem');
  expect(named.map(({ textContent }) => textContent)).toEqual([
    'Model: file for gw-200, gw-300, gateway gw-1004 gateways: A, B, C ...',
    'Version number: file 2, gateway has 7, which is newer1 gateway: D',
    'Security version: file 1, gateway demands at least 31 gateway: D',
    'Upgrade type: file 2, gateway takes -1 gateway: E',
    'Takes no firmware1 gateway: F',
  ]);
});

test('a start says what it will do to how many, and asks for the access password of a gateway', async () => {
  const { user } = await page(DRAFT);
  refuse<StartFirmwarePlanData>('post', urlOf('start'), {
    status: 403,
    code: 10_001,
    data: { reason: 'access_password.needed', arguments: { device_id: 3, device: 'Pump' } },
  });
  await user.click(screen.getByTestId('plan-start'));
  const dialog = await screen.findByTestId('confirm-dialog');
  for (const words of ['14 gateways', 'In 3 waves: 1 first', 'upgraded when they come: 2', 'preview: 5', 'pauses'])
    expect(dialog.textContent).toContain(words);
  await user.click(within(dialog).getByTestId('confirm-yes'));
  await user.click(await screen.findByTestId('access-password'));
  await user.paste('open sesame');
  const made = done('start', begun('running'));
  answer<GetFirmwarePlanData, GetFirmwarePlanResponse>('get', PLAN_URL, begun('running'));
  await user.click(screen.getByTestId('access-go'));
  await waitFor(() => expect(made).toHaveLength(1));
  await waitFor(() => expect(screen.getByTestId('plan-page').dataset.state).toBe('running'));
  clearAccessPasswords();
});

test.each<[Step, PlanDetail, readonly string[]]>([
  ['pause', begun('running'), ['Waiting gateways get nothing for now: 8', 'cannot be taken back: 2']],
  ['resume', begun('paused'), ['Waiting gateways go on: 8', 'not tried again: 1']],
  ['retry', begun('finished'), ['1 gateway that failed', 'Others are not touched']],
  ['rollback', begun('running'), ['3 upgraded gateways', 'once they are done: 2', 'Waiting gateways get nothing: 8']],
  ['cancel', begun('paused'), ['Waiting gateways get nothing: 8', 'cannot be taken back: 2']],
  [
    'approve',
    { ...DRAFT, rules: { ...DRAFT.rules, approval: true }, actions: ['approve', 'start'] },
    ['Approve edge-agent 2.0 (2) for Gateways: 2 (Pump, Mill)', 'li changed the plan last'],
  ],
])('%s says what it will do, and does it only then', async (step, plan, words) => {
  const { user } = await page(plan);
  const made = done(step, plan);
  await user.click(screen.getByTestId(`plan-${step}`));
  const dialog = await screen.findByTestId('confirm-dialog');
  for (const each of words) expect(dialog.textContent).toContain(each);
  await user.click(within(dialog).getByTestId('confirm-no'));
  await waitFor(() => expect(screen.queryByTestId('confirm-dialog')).toBeNull());
  expect(made).toHaveLength(0);
  await user.click(screen.getByTestId(`plan-${step}`));
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(made).toHaveLength(1));
});

test.each([
  ['errors', 'More gateways failed than allowed'],
  ['too_few', 'too few succeeded'],
  ['key_gone', 'no longer trusted'],
  ['something_new', 'something_new'],
])('a pause for %s is told in words', async (reason, words) => {
  await page(begun('paused', { reason }));
  expect(screen.getByTestId('plan-notice-reason').textContent).toContain(words);
});

test('a rollout that turned back by itself says so', async () => {
  await page(begun('running', { is_back: true, reason: 'errors', actions: ['pause', 'retry', 'cancel'] }));
  expect(screen.getByTestId('plan-notice-reason').textContent).toContain('Rolled back automatically: More gateways');
  expect(screen.getByText('Rolling back')).toBeDefined();
});

test('each wave says where it stands, what it needs and what it stands', async () => {
  await page(begun('running'));
  const [first, second, third] = within(screen.getByTestId('plan-waves')).getAllByRole('row').slice(1);
  expect(first?.textContent).toMatch(/First \(canary\)Passed/);
  expect(second?.textContent).toMatch(/Wave 2Current.*5 needed.*1 allowed/);
  expect(third?.textContent).toMatch(/Wave 3Not begun/);
});

test.each<[string, Partial<PlanDetail>, RegExp[]]>([
  ['paused', { state: 'paused' }, [/Passed/, /Paused/, /Not begun/]],
  ['cancelled', { state: 'cancelled' }, [/Passed/, /Stopped by cancellation/, /Cancelled before it began/]],
  ['finished', { state: 'finished', wave: 2 }, [/Passed/, /Passed/, /Passed, none upgraded/]],
])('no wave of a plan that is %s is said to be current', async (_what, changes, words) => {
  await page(begun('paused', changes));
  const rows = within(screen.getByTestId('plan-waves')).getAllByRole('row').slice(1);
  rows.forEach((row, at) => expect(row.textContent).toMatch(words[at]!));
  expect(screen.getByTestId('plan-waves').textContent).not.toContain('Current');
});

test('a gateway has its step, what it loaded, and in words why it failed', async () => {
  await page(begun('paused'), { rows: [UPGRADE, { ...UPGRADE, id: 32, state: 'downloading', code: '', worse: [] }] });
  const rows = await screen.findAllByTestId('plan-gateways-row');
  expect(rows[0]?.textContent).toContain('Worse than before · good points 120 → 95');
  expect(rows[0]?.textContent).toContain('response time of slaves (ms) 20 → 90');
  expect(rows[0]?.textContent).toContain('50 %');
  expect(rows[0]?.textContent).toContain('1.0 KB / 2.0 KB');
  expect(within(rows[0]!).getByRole('link', { name: 'Pump' }).getAttribute('href')).toBe(
    '/deviceDetail/index?device_id=3&tab=upgrades',
  );
});

test.each<[string, Partial<UpgradeRow>, string]>([
  ['went back', {}, '1.0 (1)Runs the version from before this order again · reported '],
  ['says of no firmware', { running: null }, 'Not reported'],
  ['runs what was ordered', { running: RUNS(2) }, '2.0 (2)The version ordered · reported '],
  ['was not touched', { running: RUNS(1) }, '1.0 (1)The version from before this order · reported '],
  ['got another one since', { running: RUNS(9) }, '9.0 (9)Neither the version before nor the one ordered · '],
  ['was not ordered yet', { running: RUNS(1), from_version: null }, '1.0 (1)reported '],
  [
    'runs what it was delivered with',
    { running: RUNS(0), from_version: 0 },
    '0.0 (as delivered)The version from before',
  ],
])('of a gateway that %s it stands what runs now', async (_what, changes, words) => {
  await page(begun('paused'), { rows: [{ ...UPGRADE, ...changes }] });
  const [row] = await screen.findAllByTestId('plan-gateways-row');
  expect(row?.textContent).toContain(words);
  expect(row?.textContent).toContain('2.0 (2)');
});

test('what the gateway said itself stands below words for its code, and never alone', async () => {
  const detail = 'exit status 1';
  await page(begun('paused'), {
    rows: [
      { ...UPGRADE, code: 'crash', worse: [], detail },
      { ...UPGRADE, id: 32, state: 'downloading', code: '', worse: [], detail: 'connection refused' },
      { ...UPGRADE, id: 33, code: 'odd_new_code', worse: [], detail: '' },
    ],
  });
  const rows = await screen.findAllByTestId('plan-gateways-row');
  expect(rows[0]?.textContent).toContain("The new version crashedGateway's own text: exit status 1");
  expect(rows[1]?.textContent).toContain("DownloadingGateway's own text: connection refused");
  expect(rows[2]?.textContent).toContain('Unknown reason (odd_new_code)');
});

test('gateways of the first wave are marked as canaries, on the way back none is', async () => {
  await page(begun('paused'), {
    rows: [
      { ...UPGRADE, wave: 0 },
      { ...UPGRADE, id: 32, wave: 1 },
      { ...UPGRADE, id: 33, wave: 0, is_back: true },
    ],
  });
  const rows = await screen.findAllByTestId('plan-gateways-row');
  expect(rows.map((row) => row.textContent?.includes('First (canary)'))).toEqual([true, false, false]);
});

test('the state is a filter of the table too', async () => {
  const { user, asked } = await page(begun('running'));
  await user.click(screen.getByTestId('plan-gateway-state'));
  await user.click(await screen.findByRole('option', { name: 'Did not come' }));
  await waitFor(() => expect(asked.at(-1)?.query.getAll('upgrade_state')).toEqual(['missed']));
  expect(query()).toMatchObject({ step: 'missed' });
});

test('a step of the bar and a wave are what the table shows alone; the address holds both', async () => {
  const { user, asked } = await page(begun('running'));
  await waitFor(() => expect(asked[0]?.query.get('newest')).toBe('true'));
  const [failed] = within(screen.getByTestId('plan-steps')).getAllByRole('button', { name: 'Failed: 1' });
  await user.click(failed!);
  await user.click(screen.getByRole('button', { name: 'Wave 2' }));
  await waitFor(() => expect(asked.at(-1)?.query.getAll('upgrade_state')).toEqual(['failed']));
  expect(asked.at(-1)?.query.get('wave')).toBe('1');
  expect(query()).toMatchObject({ plan: '7', step: 'failed', wave: '1' });
});

test('the last step of a rollout is asked for though nothing moves any more', async () => {
  const { asked } = await page(begun('running'));
  await screen.findAllByTestId('plan-gateways-row');
  const before = asked.length;
  const steps = { succeeded: 14 };
  const counts = { ...DRAFT.counts, total: 14, succeeded: 14 };
  queryClient.setQueryData(planQuery(7).queryKey, begun('finished', { steps, counts }));
  await waitFor(() => expect(asked.length).toBeGreaterThan(before));
});

test('a refusal is told in words, and the plan is asked for again', async () => {
  const { user } = await page(begun('running'));
  refuse<CancelFirmwarePlanData>('post', urlOf('cancel') as never, {
    status: 409,
    code: 20_000,
    data: { reason: 'firmware.state', arguments: { state: 'finished' } },
  });
  await user.click(screen.getByTestId('plan-cancel'));
  answer<GetFirmwarePlanData, GetFirmwarePlanResponse>('get', PLAN_URL, begun('finished'));
  await user.click(await screen.findByTestId('confirm-yes'));
  expect(await screen.findByText('Not possible while the plan is finished')).toBeDefined();
  await waitFor(() => expect(screen.getByTestId('plan-page').dataset.state).toBe('finished'));
});

test('a plan that is gone says so and leads back', async () => {
  refuse<GetFirmwarePlanData>('get', PLAN_URL, {
    status: 404,
    code: 20_000,
    data: { reason: 'not_found.firmware_plan' },
  });
  await show(<Firmware />, { permissions: MAY, flags: { ot: 1 }, at: '/ota/firmware?plan=7' });
  expect(await screen.findByText('No such firmware plan')).toBeDefined();
  expect(screen.getByRole('button', { name: 'All plans' })).toBeDefined();
});
