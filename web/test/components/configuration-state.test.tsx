import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type {
  DeployData,
  DeployResponse,
  DiscardDraftData,
  DiscardDraftResponse,
  GetConfigurationData,
  GetDeploymentData,
  GetDeploymentResponse,
} from '@/api/generated/types.gen';
import { queryClient } from '@/app/queryClient';
import ConfigurationTab from '@/features/configuration/screens/ConfigurationTab';
import { formatDateTime } from '@/lib/time';
import {
  address,
  answerConfiguration,
  button,
  CONFIGURATION,
  DEPLOY,
  DEPLOYMENT,
  detail,
  DRAFT,
  draft,
  OTHER,
  READ_ONLY,
  RUNNING,
  serve,
  status,
  T0,
  tab,
  version,
} from './configuration-fixtures';
import { device } from './fixtures';
import { answer, refuse } from './network';
import { show } from './render';

beforeEach(answerConfiguration);

const standing = (): HTMLElement => screen.getByTestId('configuration-standing');
const fact = (name: string): string =>
  within(standing()).getByText(name, { selector: 'dt' }).nextSibling?.textContent ?? '';

test('a gateway that has told nothing yet: nothing is said to be active, and nothing can be edited', async () => {
  await tab({ running: null, accepted: null, newest: null, versions: [], total: 0 });
  expect(standing().dataset.situation).toBe('unknown');
  expect(standing().textContent).toContain('has not yet reported what it is running');
  expect(standing().textContent).toContain('appears here once the gateway has connected');
  for (const none of ['edit-configuration', 'upload-configuration', 'draft', 'local-edit'])
    expect(screen.queryByTestId(none)).toBeNull();
});

test('what runs is told with its version, origin, time, author, points and note', async () => {
  await tab();
  expect(standing().dataset.situation).toBe('inForce');
  expect(fact('Running version')).toBe('aaaaaaaa');
  expect(fact('Origin')).toBe('Deployed by the platform');
  expect(fact('Active since')).toBe(formatDateTime(T0));
  expect([fact('Deployed by'), fact('Number of points'), fact('Note')]).toEqual(['Li', '2', 'two more points']);
});

test('who deployed is told before who made the version; a check deployed nothing', async () => {
  const deployment = status({ hash: RUNNING, state: 'confirmed', user: 'Zhao' });
  const { unmount } = await tab({ deployment });
  expect(fact('Deployed by')).toBe('Zhao');
  unmount();
  queryClient.clear();
  await tab({ deployment: { ...deployment, check_only: true, state: 'checked' } });
  expect(fact('Deployed by')).toBe('Li');
});

test('facts that nobody knows of what runs are dashes', async () => {
  await tab({ running: { hash: OTHER, origin: null, since_ms: null, known: false } });
  for (const name of ['Origin', 'Active since', 'Deployed by', 'Number of points', 'Note'])
    expect(fact(name)).toBe('–');
});

test('a configuration that cannot be read says why, and is asked for again', async () => {
  refuse<GetConfigurationData>('get', CONFIGURATION, { status: 500, code: 20_000, data: { message: 'disk full' } });
  queryClient.setQueryData(['device', 1], device());
  const { user } = await show(<ConfigurationTab />, { permissions: ['DeviceManage'], at: '/?device_id=1' });
  expect((await screen.findByTestId('error-state')).textContent).toContain('disk full');
  serve();
  await user.click(screen.getByRole('button', { name: /again|retry/i }));
  expect(await screen.findByTestId('configuration-standing')).toBeTruthy();
});

test('a draft is told with its author and note; its changes are one click away, its deployment another', async () => {
  const { user } = await tab({
    draft: draft(),
    versions: [version({ hash: DRAFT, note: 'slower cycle' }), version()],
  });
  expect(standing().dataset.situation).toBe('draft');
  expect(screen.getByTestId('draft').textContent).toContain(`Draft of Wang, ${formatDateTime(T0 + 60_000)} dddddddd`);
  expect(screen.getByTestId('draft').textContent).toContain('slower cycle');
  await user.click(button('show-draft'));
  expect(address()).toMatchObject({ cfg: 'compare', cfg_from: RUNNING, cfg_to: DRAFT });
  await user.click(button('deploy-draft'));
  expect(address().deploy).toBe(DRAFT);
});

test.each([
  [{ behind: true }, 'running a different version from the one this draft is based on'],
  [{ behind: true, carried: true }, 'the draft was rebased onto it'],
  [
    { reverted: { deployment: 'd0', finished_ms: T0, code: 'slaves', detail: 'silent: boiler (no_answer)' } },
    `reverted at ${formatDateTime(T0)}: Slaves did not respond after the switch · Slaves not responding: boiler (no response)`,
  ],
])('a draft that needs a second look says so: %o', async (changes, words) => {
  await tab({ draft: draft(changes) });
  expect(screen.getByTestId('draft').textContent).toContain(words);
  expect(button('deploy-draft').dataset.variant).toBe('default');
});

test('a draft is discarded in the cloud, which is told; the page reads again how things stand', async () => {
  const { user } = await tab({ draft: draft() });
  const sent = answer<DiscardDraftData, DiscardDraftResponse>('delete', `${CONFIGURATION}/draft`, null);
  serve();
  await user.click(button('discard-draft'));
  expect(await screen.findByText(/Draft discarded; it remains in the list of versions/)).toBeTruthy();
  await waitFor(() => expect(screen.queryByTestId('draft')).toBeNull());
  expect(sent).toHaveLength(1);
});

test('a draft that the cloud does not discard stays, with the reason as a toast', async () => {
  refuse<DiscardDraftData>('delete', `${CONFIGURATION}/draft`, {
    status: 409,
    code: 20_000,
    data: { message: 'busy' },
  });
  const { user } = await tab({ draft: draft() });
  await user.click(button('discard-draft'));
  expect(await screen.findByText(/busy/)).toBeTruthy();
  expect(screen.getByTestId('draft')).toBeTruthy();
});

test('while the draft is being deployed its progress is told and it can be neither deployed nor discarded', async () => {
  answer<GetDeploymentData, GetDeploymentResponse>('get', DEPLOYMENT, detail({ state: 'staged' }));
  const { user } = await tab({ draft: draft({ behind: true }), deployment: status({ state: 'staged' }) });
  expect(standing().textContent).toContain('Deployment in progress 3/5');
  for (const none of ['deploy-draft', 'discard-draft']) expect(screen.queryByTestId(none)).toBeNull();
  expect(screen.getByTestId('draft').textContent).not.toContain('different version');
  await user.click(button('follow-deployment'));
  expect(address().deployment).toBe('d1');
});

test('a draft whose deployment failed says how; its details are one click away', async () => {
  answer<GetDeploymentData, GetDeploymentResponse>('get', DEPLOYMENT, detail({ state: 'refused' }));
  const { user } = await tab({ draft: draft(), deployment: status({ state: 'refused' }) });
  expect(standing().textContent).toContain('Active; draft not deployed: Rejected by the gateway, nothing was changed');
  await user.click(button('failed-deployment'));
  expect(address().deployment).toBe('d1');
});

test('an edit at the gateway is shown beside what was accepted, and adopted over exactly that version', async () => {
  const sent = answer<DeployData, DeployResponse>('post', DEPLOY, { id: 'd2', hash: OTHER, state: 'created' });
  answer<GetDeploymentData, GetDeploymentResponse>('get', DEPLOYMENT, detail({ id: 'd2', hash: OTHER }));
  const running = { hash: OTHER, origin: 'local', since_ms: T0, known: true };
  const { user } = await tab({ running, local_edit: true });
  expect(standing().dataset.situation).toBe('localEdit');
  expect(screen.getByTestId('local-edit').textContent).toContain('will not overwrite it without asking');
  await user.click(within(screen.getByTestId('local-edit')).getByRole('button', { name: 'View changes' }));
  expect(address()).toMatchObject({ cfg: 'compare', cfg_from: RUNNING, cfg_to: OTHER });
  await user.click(button('adopt'));
  await waitFor(() => expect(sent[0]?.body).toEqual({ hash: OTHER, base: OTHER }));
  await waitFor(() => expect(address().deployment).toBe('d2'));
});

test('without an accepted version an edit at the gateway has nothing to be compared with', async () => {
  const running = { hash: OTHER, origin: 'local', since_ms: T0, known: true };
  await tab({ running, accepted: null, local_edit: true });
  expect(within(screen.getByTestId('local-edit')).queryByRole('button', { name: 'View changes' })).toBeNull();
  expect(button('adopt').disabled).toBe(false);
});

test('who may not manage devices sees how things stand, and nothing with which to change them', async () => {
  const running = { hash: OTHER, origin: 'local', since_ms: T0, known: true };
  await tab({ running, local_edit: true, draft: draft() }, { permissions: [], at: '&cfg=document&cfg_edit=1' });
  expect(screen.getByTestId('draft')).toBeTruthy();
  expect(button('show-draft').disabled).toBe(false);
  for (const none of [
    'edit-points',
    'edit-configuration',
    'upload-configuration',
    'adopt',
    'discard-draft',
    'deploy-draft',
  ])
    expect(screen.queryByTestId(none)).toBeNull();
  expect(await screen.findByTestId('save-document')).toBeTruthy();
  expect(screen.queryByTestId('document-editor')).toBeNull();
});

test('of a gateway that is shared for reading every change is off, with the reason', async () => {
  await tab({ draft: draft() }, { device: READ_ONLY, at: '&cfg=document&cfg_edit=1' });
  for (const off of ['edit-configuration', 'upload-configuration', 'discard-draft', 'deploy-draft']) {
    expect(button(off).disabled).toBe(true);
    expect(button(off).title).toBe('This device is shared read-only');
  }
  expect(await screen.findByTestId('save-document')).toBeTruthy();
  expect(screen.queryByTestId('document-editor')).toBeNull();
});
