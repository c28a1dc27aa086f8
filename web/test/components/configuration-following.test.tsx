import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  CancelDeploymentData,
  CancelDeploymentResponse,
  ConfigurationState,
  DeployData,
  DeploymentDetail,
  DeployResponse,
  GetDeploymentData,
  GetDeploymentResponse,
  RevertDeploymentData,
  RevertDeploymentResponse,
} from '@/api/generated/types.gen';
import { serverNow } from '@/lib/serverClock';
import { formatDateTime } from '@/lib/time';
import {
  address,
  answerConfiguration,
  button,
  DEPLOY,
  DEPLOYMENT,
  detail,
  DRAFT,
  OTHER,
  READ_ONLY,
  reads,
  RUNNING,
  status,
  T0,
  tab,
  version,
} from './configuration-fixtures';
import type { Around } from './configuration-fixtures';
import { connectLive } from './live';
import { answer, network, refuse } from './network';
import type { Rendered } from './render';

const step = (name: string, at = T0 + 2_000) => ({
  step: name,
  t_ms: at,
  received_ms: at,
  running: RUNNING,
  code: '',
  detail: '',
});

beforeEach(answerConfiguration);

async function following(
  changes: Partial<DeploymentDetail> = {},
  of: Partial<ConfigurationState> = {},
  around: Around = {},
): Promise<Rendered> {
  answer<GetDeploymentData, GetDeploymentResponse>('get', DEPLOYMENT, detail(changes));
  const page = await tab(of, { at: '&deployment=d1', ...around });
  await screen.findByTestId('deployment');
  return page;
}

const steps = (): (string | undefined)[] =>
  [...screen.getByTestId('deployment').querySelectorAll<HTMLElement>('[data-testid^="step-"]')].map(
    ({ dataset }) => dataset.state,
  );
const said = (name: string): string => screen.getByTestId(`step-${name}`).textContent;

test.each([
  ['created', [], ['active', 'waiting', 'waiting', 'waiting', 'waiting']],
  ['sent', [], ['done', 'active', 'waiting', 'waiting', 'waiting']],
  ['received', ['received'], ['done', 'done', 'active', 'waiting', 'waiting']],
  ['switched', ['received', 'staged', 'switched'], ['done', 'done', 'done', 'done', 'active']],
  ['confirmed', ['confirmed'], ['done', 'done', 'done', 'done', 'done']],
  ['refused', ['received', 'refused'], ['done', 'done', 'skipped', 'skipped', 'failed']],
  ['reverted', ['switched', 'reverted'], ['done', 'done', 'done', 'done', 'failed']],
  ['expired', [], ['skipped', 'skipped', 'skipped', 'skipped', 'failed']],
  ['unchanged', ['unchanged'], ['done', 'done', 'done']],
])('a deployment that is %s shows what is behind it and what is not', async (name, receipts, shown) => {
  const isSent = !['created', 'expired'].includes(name);
  await following({ state: name, sent_ms: isSent ? T0 : null, steps: receipts.map((each) => step(each)) });
  expect(steps()).toEqual(shown);
});

test('a deployment names its version, who sent it and when; each step its time', async () => {
  await following(
    { state: 'received', steps: [step('received', T0 + 5_000)] },
    { versions: [version({ hash: DRAFT, note: 'slower cycle' })] },
  );
  const dialog = screen.getByTestId('deployment');
  expect(dialog.textContent).toContain(`slower cycle ddddddddBy Wang, ${formatDateTime(T0)}`);
  expect(said('received')).toBe(`Received by the gateway${formatDateTime(T0 + 5_000).slice(11)}`);
  expect(said('staged')).toBe('The gateway is validating');
});

test('a deployment that waits for its gateway says until when', async () => {
  await following({ state: 'created', wait: true, sent_ms: null });
  expect(said('sent')).toBe(`Waiting for the gateway until ${formatDateTime(T0 + 3_600_000)}`);
});

test('a deployment that cannot be read says why, and is asked for again', async () => {
  refuse<GetDeploymentData>('get', DEPLOYMENT, { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user } = await tab({}, { at: '&deployment=d1' });
  expect((await screen.findByTestId('error-state')).textContent).toContain('disk full');
  answer<GetDeploymentData, GetDeploymentResponse>('get', DEPLOYMENT, detail());
  await user.click(screen.getByRole('button', { name: /again|retry/i }));
  expect(await screen.findByTestId('deployment')).toBeTruthy();
});

test('a step that is pushed shows at once, and how things stand is read again', async () => {
  const { push } = await connectLive();
  await following({ state: 'sent' });
  const before = reads.length;
  answer<GetDeploymentData, GetDeploymentResponse>('get', DEPLOYMENT, detail({ state: 'staged' }));
  push({ type: 'deploy', ...status({ state: 'staged' }), did: 1 });
  await waitFor(() => expect(steps()).toEqual(['done', 'done', 'done', 'active', 'waiting']));
  await waitFor(() => expect(reads.length).toBeGreaterThan(before));
});

test('a push of another gateway changes nothing here', async () => {
  const { push } = await connectLive();
  await following({ state: 'sent' });
  const before = reads.length;
  push({ type: 'deploy', ...status({ state: 'staged' }), did: 2 });
  push({ type: 'configuration', did: 2 });
  expect(steps()).toEqual(['done', 'active', 'waiting', 'waiting', 'waiting']);
  push({ type: 'configuration', did: 1 });
  await waitFor(() => expect(reads.length).toBe(before + 2)); // of the tab, and of its list of versions
});

const trial = (agoMs: number, changes: Partial<DeploymentDetail> = {}): Partial<DeploymentDetail> => ({
  state: 'switched',
  steps: [step('switched', serverNow() - agoMs)],
  ...changes,
});

test('a trial says how long the gateway still watches, and for what it waits, by name as far as it names them', async () => {
  await following(
    trial(30_500, {
      missing: { link: true, slaves: ['boiler', 'oven'], slaves_all: 5, points: ['boiler.flow'], points_all: 1 },
    }),
  );
  expect(screen.getByTestId('watching').textContent).toContain(
    'Trial run: reverts in 1 min unless everything recovers',
  );
  const [link, slaves, points] = within(screen.getByTestId('still-missing')).getAllByRole('listitem');
  expect(link?.textContent).toBe('The connection to the platform is not yet restored');
  expect(slaves?.textContent).toBe('Slaves not responding: boiler, oven and 3 more');
  expect(points?.textContent).toBe('Points not good: boiler.flow');
});

test('a trial that should be over claims no result', async () => {
  await following(trial(200_000));
  expect(screen.getByTestId('watching').textContent).toContain('waiting for the final result from the gateway');
  expect(screen.queryByTestId('still-missing')).toBeNull();
});

test('a trial is returned once; a return that is refused says why and can be tried again', async () => {
  refuse<RevertDeploymentData>('post', `${DEPLOYMENT}/revert`, {
    status: 409,
    code: 20_000,
    data: { message: 'gone' },
  });
  const { user } = await following(trial(1_000));
  await user.click(button('return-now'));
  await waitFor(() => expect(screen.getByTestId('watching').textContent).toContain('gone'));
  expect(button('return-now').disabled).toBe(false);
  const sent = answer<RevertDeploymentData, RevertDeploymentResponse>('post', `${DEPLOYMENT}/revert`, {
    id: 'c1',
  } as RevertDeploymentResponse['data']);
  await user.click(button('return-now'));
  await waitFor(() => expect(button('return-now').textContent).toBe('The gateway has been instructed to revert'));
  expect(button('return-now').disabled).toBe(true);
  expect(sent).toHaveLength(1);
});

test.each([
  [null, 'It has not been sent yet and will not be sent.'],
  [T0, 'it may still be carried out'],
])('a deployment is withdrawn after a question that says what it means (sent: %s)', async (sent_ms, words) => {
  const { user } = await following({ state: sent_ms === null ? 'created' : 'sent', sent_ms });
  const sent = answer<CancelDeploymentData, CancelDeploymentResponse>(
    'post',
    `${DEPLOYMENT}/cancel`,
    status({ state: 'cancelled' }),
  );
  await user.click(button('cancel-deployment'));
  expect((await screen.findByTestId('confirm-dialog')).textContent).toContain(words);
  await user.click(button('confirm-no'));
  await waitFor(() => expect(screen.queryByTestId('confirm-dialog')).toBeNull());
  expect(sent).toEqual([]);
  answer<GetDeploymentData, GetDeploymentResponse>('get', DEPLOYMENT, detail({ state: 'cancelled', sent_ms }));
  await user.click(button('cancel-deployment'));
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(sent).toHaveLength(1));
  await waitFor(() => expect(said('ended')).toContain('Withdrawn'));
  expect(screen.queryByTestId('cancel-deployment')).toBeNull();
});

test('a deployment that cannot be withdrawn any more says why', async () => {
  refuse<CancelDeploymentData>('post', `${DEPLOYMENT}/cancel`, {
    status: 409,
    code: 20_000,
    data: { message: 'too late' },
  });
  const { user } = await following();
  await user.click(button('cancel-deployment'));
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(screen.getByTestId('deployment').textContent).toContain('too late'));
});

test('points that a trial lost are told by number and slave, and what is still missing', async () => {
  await following({
    state: 'reverted',
    code: 'points',
    detail: '3 of 40 points that were good are not: boiler 3 (no_answer)',
    missing: { slaves: [], points: ['boiler.flow'], slaves_all: 0, points_all: 3, link: false },
  });
  expect(screen.getByTestId('deployment-reason').textContent).toBe(
    'Points were no longer good after the switch · 3 of 40 points that were good are no longer good: boiler 3 (no response)',
  );
  expect(screen.getByTestId('still-missing').textContent).toBe('Points not good: boiler.flow and 2 more');
});

test('a rule that a version breaks leads to its place in the document; the gateway’s list of them is not told twice', async () => {
  const faults = [{ field: 'points[1].name', rule: 'at most 64 characters' }];
  const { user } = await following({ state: 'refused', code: 'invalid', detail: 'points[1].name: at most 64', faults });
  expect(screen.getByTestId('deployment-reason').textContent).toBe('The configuration contains errors');
  await user.click(within(screen.getByTestId('faults')).getByRole('button', { name: 'points[1].name' }));
  expect(address()).toMatchObject({ cfg: 'document', cfg_version: DRAFT, cfg_field: 'points[1].name' });
  expect(address().deployment).toBeUndefined();
});

test('a deployment that did not go well is corrected or tried again', async () => {
  const { user } = await following({ state: 'networkError', code: 'no_receipt' });
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(address()).toMatchObject({ deploy: DRAFT });
  expect(address().deployment).toBeUndefined();
});

test('who corrects a version begins with its text', async () => {
  const { user } = await following({ state: 'refused', code: 'invalid' });
  await user.click(screen.getByRole('button', { name: 'Correct and deploy again' }));
  expect(address()).toMatchObject({ cfg: 'document', cfg_version: DRAFT, cfg_edit: '1' });
  expect(await screen.findByTestId('document-editor')).toBeTruthy();
});

const OVERLOAD = {
  state: 'refused',
  code: 'invalid',
  faults: [{ field: 'ports[0]', rule: 'must have the time for its requests: they would take 130 % of it' }],
};

test('an estimate of a bus is overruled with the same terms', async () => {
  const { user } = await following(OVERLOAD);
  const sent = answer<DeployData, DeployResponse>('post', DEPLOY, { id: 'd2', hash: DRAFT, state: 'created' });
  await user.click(screen.getByRole('button', { name: 'Deploy anyway' }));
  await waitFor(() => expect(sent[0]?.body).toEqual({ hash: DRAFT, force: true, confirm_s: 120, healthy_share: 0.9 }));
  await waitFor(() => expect(address().deployment).toBe('d2'));
});

test('an estimate is not overruled over what the gateway runs meanwhile: forced, that would be replaced unseen', async () => {
  await following(OVERLOAD, { running: { hash: OTHER, origin: 'local', since_ms: T0, known: true }, local_edit: true });
  expect(screen.queryByRole('button', { name: 'Deploy anyway' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
});

test('another fault beside the estimate is not overruled', async () => {
  await following({ ...OVERLOAD, faults: [...OVERLOAD.faults, { field: 'ports[0].baud', rule: 'at least 300' }] });
  expect(screen.queryByRole('button', { name: 'Deploy anyway' })).toBeNull();
});

test('from a version that was confirmed and still runs one goes back to the one before', async () => {
  const { user } = await following(
    { state: 'confirmed', hash: DRAFT, base: OTHER },
    { running: { hash: DRAFT, origin: 'cloud', since_ms: T0, known: true } },
  );
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  await user.click(button('go-back'));
  expect(address()).toMatchObject({ deploy: OTHER });
});

test('from a version that runs no more there is no way back', async () => {
  await following({ state: 'confirmed', hash: DRAFT, base: OTHER });
  expect(screen.queryByTestId('go-back')).toBeNull();
  expect(screen.getByTestId('deployment')).toBeTruthy();
});

test('the load of each port is told before and after; one that is too full is called so', async () => {
  const ports = [
    { port: 'com1', before: 40, after: 130.4 },
    { port: 'com2', before: null, after: 2.24 },
    { port: 'net1', before: 10, after: 10 },
  ];
  await following({ change: { points_added: 1, points_removed: 0, points_changed: 0, ports } });
  const rows = within(screen.getByTestId('loads')).getAllByRole('row').slice(1);
  expect(rows.map(({ textContent }) => textContent)).toEqual(['com140 %130 % · overloaded', 'com2–2.2 %']);
});

test.each([
  ['who may not manage devices', [], {}],
  ['a reader of a shared gateway', ['DeviceManage'], READ_ONLY],
])('%s follows a deployment and changes nothing', async (_who, permissions, of) => {
  await following(trial(1_000), {}, { permissions, device: of, at: '&deployment=d1' });
  expect(screen.getByTestId('watching').textContent).toContain('Trial run');
  for (const name of ['return-now', 'cancel-deployment', 'go-back'])
    expect(screen.queryByTestId<HTMLButtonElement>(name)?.disabled ?? true).toBe(true);
});

test('while a deployment goes it is asked for every few seconds; once it has ended no more', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  let name = 'sent';
  const asked: string[] = [];
  network.use(
    http.get('*/api/v1/device/deployment/:id', () => {
      asked.push(name);
      return HttpResponse.json({ code: 0, msg: '', data: detail({ state: name }) });
    }),
  );
  await tab({}, { at: '&deployment=d1' });
  await screen.findByTestId('deployment');
  name = 'expired';
  await vi.advanceTimersByTimeAsync(3_100);
  await waitFor(() => expect(said('ended')).toContain('Not deployed'));
  const count = asked.length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveLength(count);
});
