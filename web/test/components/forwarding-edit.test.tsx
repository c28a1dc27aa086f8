import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type {
  CheckConfigurationData,
  CheckConfigurationResponse,
  DeleteForwarderData,
  DeleteForwarderResponse,
  GetConfigurationData,
  GetConfigurationResponse,
  ListDeviceTargetsData,
  ListDeviceTargetsResponse,
  ListForwardersData,
  ListForwardersResponse,
  ListPointsData,
  ListPointsResponse,
  SaveForwarderData,
  SaveForwarderResponse,
} from '@/api/generated/types.gen';
import { queryClient } from '@/app/queryClient';
import ForwardingTab from '@/features/forwarding/screens/ForwardingTab';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const MAY = ['Monitor.DeviceMonitor', 'DeviceManage'];
const AT = '/deviceDetail/index?device_id=7&tab=forwarding';
const HASH = 'a'.repeat(64);
const BUREAU = {
  name: 'bureau',
  kind: 'hj212',
  options: {
    server: '212.example.cn',
    port: 9001,
    mn: 'A1',
    pw: '******',
    mapping: [{ factor: 'w01018', point: 'plc.cod' }],
  },
};

interface Served {
  saved: Call[];
  deleted: Call[];
}

/** A gateway with one target in its draft. faults: what it refuses of a version. */
function serve({ changeable = true, faults = [] as { field: string; rule: string }[] } = {}): Served {
  queryClient.setQueryData(['device', 7], { id: 7, link: { online: true, since_ms: 1, reason: 'ok' } });
  answer<ListDeviceTargetsData, ListDeviceTargetsResponse>('get', '/api/v1/device/{device_id}/targets', [
    {
      name: 'bureau',
      kind: 'hj212',
      condition: 'down',
      since_ms: 1,
      reason: 'the platform refused CN=2011: PW is wrong (QnRtn=3)',
      waiting_batches: 0,
      waiting_bytes: 0,
      waiting_records: 0,
      lost_batches: 0,
      delivered: 0,
      late: 0,
      repeated: 0,
      given_up: 1,
      failed: 0,
      last_ack_ms: 0,
      next_try_ms: 0,
      trouble_since_ms: 0,
      rejects: [],
      reported_ms: 1,
    },
  ]);
  answer<ListForwardersData, ListForwardersResponse>('get', '/api/v1/device/{device_id}/forwarder', {
    base: HASH,
    changeable,
    rows: [{ at: 0, fields: BUREAU }],
  });
  answer<GetConfigurationData, GetConfigurationResponse>('get', '/api/v1/device/{device_id}/configuration', {
    draft: { hash: HASH },
  } as never);
  answer<ListPointsData, ListPointsResponse>('get', '/api/v1/device/{device_id}/point', {
    base: HASH,
    changeable,
    faults: [],
    rows: [
      { slave: 'plc', ds_name: 'cod', ds_title: 'COD', unit: 'mg/L' },
      { slave: 'plc', ds_name: 'ph', ds_title: 'Outlet pH', unit: '' },
    ],
  });
  answer<CheckConfigurationData, CheckConfigurationResponse>('post', '/api/v1/device/{device_id}/configuration/check', {
    state: faults.length === 0 ? 'validated' : 'refused',
    faults,
  } as never);
  return {
    saved: answer<SaveForwarderData, SaveForwarderResponse>('put', '/api/v1/device/{device_id}/forwarder', {
      base: HASH,
      faults: [],
    }),
    deleted: answer<DeleteForwarderData, DeleteForwarderResponse>(
      'delete',
      '/api/v1/device/{device_id}/forwarder/{forwarder_name}',
      { base: HASH, faults: [] },
    ),
  };
}

const open = (more = ''): Promise<Rendered> => show(<ForwardingTab />, { permissions: MAY, at: `${AT}${more}` });

test('a reason is told in words and leads to its field; the draft leads to its deployment', async () => {
  serve();
  await open();
  const row = await screen.findByTestId('targets-row');
  expect(within(row).getByText('The platform says: wrong password (PW).')).toBeTruthy();
  expect(within(row).getByText(/QnRtn=3/)).toBeTruthy();
  expect(within(row).getByTestId('mend-pw').getAttribute('href')).toContain('target=bureau&field=pw');
  expect((await screen.findByTestId('draft-deploy')).getAttribute('href')).toContain(`deploy=${HASH}`);
});

test('the address opens a target at the field to mend; what is changed is saved in the draft', async () => {
  const { saved } = serve();
  const { user } = await open('&target=bureau&field=pw');
  const pw = await screen.findByTestId('field-option_pw');
  await waitFor(() => expect(document.activeElement).toBe(pw));
  await user.clear(pw);
  await user.type(pw, '654321');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(screen.queryByTestId('form-drawer')).toBeNull());
  expect(saved[0]?.body).toMatchObject({ was: 'bureau', forwarder: { options: { mn: 'A1', pw: '654321' } } });
});

test('a password that is set is a mask, stays one, and is replaced as a whole', async () => {
  const { saved } = serve();
  const { user } = await open('&target=bureau');
  const pw: HTMLInputElement = await screen.findByTestId('field-option_pw');
  expect(pw.value).toBe('******');
  expect(screen.getByText(/Leave it as it is to keep it/)).toBeTruthy();
  await user.type(await screen.findByTestId('field-option_mn'), '2');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(saved[0]?.body).toMatchObject({ forwarder: { options: { mn: 'A12', pw: '******' } } }));
  await user.click(await screen.findByTestId('target-edit'));
  await user.type(await screen.findByTestId('field-option_pw'), '654321');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(saved[1]?.body).toMatchObject({ forwarder: { options: { pw: '654321' } } }));
});

test('a copy has the password of what it is a copy of', async () => {
  const { saved } = serve();
  const { user } = await open();
  await waitFor(() => expect(screen.getByTestId('target-copy')).toHaveProperty('disabled', false));
  await user.click(screen.getByTestId('target-copy'));
  await user.click(await screen.findByTestId('form-save'));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.body).toMatchObject({ was: null, base: HASH, like: 'bureau', forwarder: { name: 'bureau-2' } });
});

test('from a saved target it is one click to its deployment, which says what it costs', async () => {
  serve();
  const { user, went } = await open('&target=bureau');
  expect((await screen.findByTestId('draft-notice')).textContent).toContain('interrupts collection for 1 to 2 s');
  await user.type(await screen.findByTestId('field-option_mn'), '2');
  await user.click(screen.getByTestId('form-save'));
  await user.click(await screen.findByTestId('saved-deploy'));
  await waitFor(() => expect(went()).toBe(`/deviceDetail/index?device_id=7&tab=configuration&deploy=${HASH}`));
});

test('what the gateway refuses stands at its field, and the drawer stays open', async () => {
  const { saved } = serve({
    faults: [
      { field: 'forwarders[0].options.mapping[0].point', rule: 'must be stored, and plc.cod has record = 0' },
      { field: 'forwarders[0].options.odd', rule: 'must be even' },
      { field: 'ports[0].baud', rule: 'of another row' },
    ],
  });
  const { user } = await open('&target=bureau');
  await user.type(await screen.findByTestId('field-option_mn'), '2');
  await user.click(screen.getByTestId('form-save'));
  const refused = await screen.findByTestId('target-refused');
  expect(within(refused).getByText(/must be even/)).toBeTruthy();
  expect(within(refused).queryByText(/of another row/)).toBeNull();
  expect(screen.getByText('must be stored, which plc.cod is not')).toBeTruthy();
  expect(saved).toHaveLength(1);
});

test('several points are added with codes proposed by their titles', async () => {
  const { saved } = serve();
  const { user } = await open('&target=bureau');
  const mapping = within(await screen.findByTestId('field-option_mapping'));
  await user.click(mapping.getByTestId('rows-points'));
  await user.click(await screen.findByRole('option', { name: 'Outlet pH (plc.ph)' }));
  await user.click(mapping.getByTestId('rows-add-points'));
  expect(screen.getAllByTestId('mapping-row')).toHaveLength(2);
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.body).toMatchObject({
    forwarder: { options: { mapping: [{ factor: 'w01018' }, { factor: 'w01001', point: 'plc.ph' }] } },
  });
});

test('a new target needs what its kind needs, and nothing is sent before', async () => {
  const { saved } = serve();
  const { user } = await open();
  await waitFor(() => expect(screen.getByTestId('target-add')).toHaveProperty('disabled', false));
  await user.click(screen.getByTestId('target-add'));
  await user.click(await screen.findByTestId('target-add-mqtt'));
  await user.type(await screen.findByTestId('field-option_server'), 'broker.example');
  await user.click(screen.getByTestId('form-save'));
  expect(await screen.findByText('Required')).toBeTruthy();
  expect(saved).toHaveLength(0);
  await user.type(screen.getByTestId('field-option_up_topic'), 'up');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.body).toEqual({
    was: null,
    base: null,
    forwarder: { name: 'mqtt', kind: 'mqtt', options: { server: 'broker.example', up_topic: 'up' } },
  });
});

test('a removed target comes back as it was', async () => {
  const { saved, deleted } = serve();
  const { user } = await open();
  await user.click(await screen.findByTestId('target-delete'));
  await waitFor(() => expect(deleted).toHaveLength(1));
  await user.click(await screen.findByTestId('undo'));
  await waitFor(() => expect(saved[0]?.body).toEqual({ was: null, base: HASH, like: 'bureau', forwarder: BUREAU }));
});

test('who may not change the gateway sees the targets and changes none', async () => {
  serve({ changeable: false });
  await open('&target=bureau');
  expect(await screen.findByTestId('target-edit')).toHaveProperty('disabled', true);
  expect(screen.getByTestId('target-add')).toHaveProperty('disabled', true);
  expect(screen.queryByTestId('form-drawer')).toBeNull();
});

const THEIRS = 'b'.repeat(64);

/** Somebody else saved first. now: the target as it is then, null when it is gone. */
function moved(now: Record<string, unknown> | null): void {
  answer<ListForwardersData, ListForwardersResponse>('get', '/api/v1/device/{device_id}/forwarder', {
    base: THEIRS,
    changeable: true,
    rows: now === null ? [] : [{ at: 0, fields: now }],
  });
}

/** An edit of mn is refused. */
async function second(now: Record<string, unknown> | null, reason: string): Promise<Rendered & { saved: Call[] }> {
  const { saved } = serve();
  const shown = await open('&target=bureau');
  await shown.user.type(await screen.findByTestId('field-option_mn'), '2');
  refuse('put', '/api/v1/device/{device_id}/forwarder', {
    status: 409,
    data: {
      field: 'base',
      rule: '',
      reason,
      arguments: { name: 'bureau', author: 'Li', fields: 'options.port, options.pw' },
    },
  });
  moved(now);
  await shown.user.click(screen.getByTestId('form-save'));
  await screen.findByTestId('target-moved');
  return { ...shown, saved };
}

test('the second of two editors sees what the first changed, and adds it to his own', async () => {
  const now = { ...BUREAU, options: { ...BUREAU.options, port: 9002 } };
  const { user } = await second(now, 'forwarder.changed');
  const notice = screen.getByTestId('target-moved').textContent;
  expect(notice).toMatch(/^Li has saved this target meanwhile/);
  expect(notice).toContain(': 9001 → 9002');
  expect(notice).toContain('Password (PW)');
  const { saved } = serve();
  await user.click(screen.getByTestId('moved-merge'));
  expect(screen.queryByTestId('target-moved')).toBeNull();
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.body).toMatchObject({
    was: 'bureau',
    base: THEIRS,
    forwarder: { options: { mn: 'A12', port: 9002, pw: '******' } },
  });
});

test('or he gives up his own', async () => {
  const { user } = await second({ ...BUREAU, max_mb: 7 }, 'forwarder.changed');
  await user.click(screen.getByTestId('moved-theirs'));
  expect((screen.getByTestId('field-option_mn') as HTMLInputElement).value).toBe('A1');
});

test('what somebody removed meanwhile may be kept as a new target', async () => {
  const { user } = await second(null, 'forwarder.removed');
  const { saved } = serve();
  await user.click(screen.getByTestId('moved-anew'));
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.body).toMatchObject({
    was: null,
    base: HASH,
    like: 'bureau',
    forwarder: { options: { mn: 'A12', pw: '******' } },
  });
});
