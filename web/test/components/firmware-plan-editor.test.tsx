import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type {
  ChangeFirmwarePlanData,
  ChangeFirmwarePlanResponse,
  CreateFirmwarePlanData,
  CreateFirmwarePlanResponse,
  GetFirmwarePlanData,
  GetFirmwarePlanResponse,
  ListFirmwareData,
  ListFirmwareGatewaysData,
  ListFirmwareGatewaysResponse,
  ListFirmwareKeysData,
  ListFirmwareKeysResponse,
  ListFirmwarePlansData,
  ListFirmwarePlansResponse,
  ListFirmwareProjectsData,
  ListFirmwareProjectsResponse,
  ListFirmwareResponse,
  PreviewFirmwarePlanData,
  PreviewFirmwarePlanResponse,
} from '@/api/generated/types.gen';
import type { FirmwareGatewayRow, KeyRow, PlanDetail } from '@/features/firmware/api';
import Firmware from '@/features/firmware/screens/Firmware';
import { begun, DRAFT, FILE, KEY, MAY, PLAN_URL, PREVIEW, PROJECT } from './firmware-fixtures';
import { answer, refuse } from './network';
import type { Call } from './network';
import { field } from './permission-fixtures';
import { show } from './render';
import type { Rendered } from './render';

const GATEWAY: FirmwareGatewayRow = {
  device_id: 3,
  device_title: 'Pump',
  gateway_id: 'gw-3',
  online: true,
  agent_version: '0.1',
  takes_firmware: true,
  name: 'edge-agent',
  model: 'gw-200',
  version: 1,
  version_text: '1.0',
  security_version: 0,
  reported_ms: 1,
  upgrade: null,
};

async function plans(rows: PlanDetail[], keys: KeyRow[] = [KEY]): Promise<Rendered & { files: Call[] }> {
  answer<ListFirmwarePlansData, ListFirmwarePlansResponse>('get', '/api/v1/firmware/plan', {
    rows,
    total: rows.length,
  });
  answer<ListFirmwareKeysData, ListFirmwareKeysResponse>('get', '/api/v1/firmware/key', { rows: keys });
  answer<ListFirmwareProjectsData, ListFirmwareProjectsResponse>('get', '/api/v1/firmware/project', {
    rows: [PROJECT],
  });
  const files = answer<ListFirmwareData, ListFirmwareResponse>('get', '/api/v1/firmware/file', {
    rows: [FILE],
    total: 1,
  });
  answer<ListFirmwareGatewaysData, ListFirmwareGatewaysResponse>('get', '/api/v1/firmware/gateway', {
    rows: [GATEWAY],
    total: 1,
  });
  const page = await show(<Firmware />, { permissions: MAY, flags: { ot: 1 }, at: '/ota/firmware' });
  await waitFor(() => expect(screen.queryAllByTestId('firmware-plans-row')).toHaveLength(rows.length));
  return { ...page, files };
}

function created(): Call[] {
  answer<GetFirmwarePlanData, GetFirmwarePlanResponse>('get', PLAN_URL, DRAFT);
  answer<PreviewFirmwarePlanData, PreviewFirmwarePlanResponse>(
    'get',
    `${PLAN_URL}/preview` as PreviewFirmwarePlanData['url'],
    PREVIEW,
  );
  return answer<CreateFirmwarePlanData, CreateFirmwarePlanResponse>('post', '/api/v1/firmware/plan', DRAFT);
}

async function type(user: UserEvent, name: string, text: string): Promise<void> {
  await user.clear(field(name));
  await user.click(field(name));
  await user.paste(text);
}

async function choose(user: UserEvent, name: string, option: string | RegExp): Promise<void> {
  await user.click(field(name));
  await user.click(await screen.findByRole('option', { name: option }));
}

const save = (): Promise<HTMLElement> => screen.findByTestId('form-save');

test('a plan of projects at scope 3 has no control count, and a window over midnight', async () => {
  const { user, files } = await plans([]);
  const made = created();
  await user.click(screen.getByTestId('firmware-plans-create'));
  await screen.findByTestId('plan-name');
  await type(user, 'plan-name', '12');
  await type(user, 'plan-title', ' north ');
  await choose(user, 'plan-projects', /North/);
  await choose(user, 'plan-file', /edge-agent 2\.0/);
  expect(files.at(-1)?.query.get('upgrade_type')).toBe('2');
  await choose(user, 'plan-scope', '3 - All');
  expect(field('plan-count').value).toBe('N/A');
  expect(field('plan-count').disabled).toBe(true);
  await user.click(field('plan-window'));
  fireEvent.change(field('plan-window-begin'), { target: { value: '22:00' } });
  fireEvent.change(field('plan-window-end'), { target: { value: '04:00' } });
  expect(screen.getByTestId('plan-over-midnight').textContent).toContain('22:00 to 04:00 of the next day');
  await user.click(field('plan-zone'));
  await user.paste('Shanghai');
  await user.click(await screen.findByRole('option', { name: 'Asia/Shanghai' }));
  await type(user, 'plan-success', '95');
  await user.click(await save());
  await waitFor(() => expect(made).toHaveLength(1));
  expect(made[0]?.body).toMatchObject({
    name: 12,
    title: 'north',
    enabled: true,
    range: 'project',
    project_ids: [1],
    device_ids: [],
    scope: 3,
    plan_control_count: null,
    firmware_id: 5,
    upgrade_type: 2,
    rules: {
      success_share: 0.95,
      error_share: 0.05,
      window: { begin: '22:00', end: '04:00' },
      zone: 'Asia/Shanghai',
    },
  });
  expect(await screen.findByTestId('plan-page')).toBeDefined(); // the new plan, with what a start would do
  expect((await screen.findByTestId('preview-total')).textContent).toContain('14');
});

test('all gateways that match are added at once, with those of a project alone', async () => {
  const { user } = await plans([]);
  const row = (id: number): FirmwareGatewayRow => ({ ...GATEWAY, device_id: id, device_title: `G${id}` });
  const asked = answer<ListFirmwareGatewaysData, ListFirmwareGatewaysResponse>(
    'get',
    '/api/v1/firmware/gateway',
    ({ query }) => {
      const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
      const total = query.get('project_id') === null ? 1200 : 130;
      const first = (page - 1) * limit;
      return { rows: Array.from({ length: Math.min(limit, total - first) }, (_, at) => row(first + at + 1)), total };
    },
  );
  const made = created();
  await user.click(screen.getByTestId('firmware-plans-create'));
  await screen.findByTestId('plan-name');
  await type(user, 'plan-name', '12');
  await choose(user, 'plan-file', /edge-agent 2\.0/);
  await user.click(screen.getByRole('radio', { name: 'By gateway' }));
  await user.click(await screen.findByTestId('choose-matching'));
  await waitFor(() => expect(screen.getByTestId('choose-total').textContent).toContain('1200 match; 500 at most'));
  await choose(user, 'choose-project', /North/);
  await waitFor(() => expect(screen.getByTestId('choose-total').textContent).toBe('130 match; chosen: 0'));
  await user.click(screen.getByTestId('choose-all'));
  await waitFor(() => expect(screen.getByTestId('choose-total').textContent).toBe('130 match; chosen: 130'));
  expect(asked.at(-1)?.query.get('takes_firmware')).toBe('true');
  await user.click(await save());
  await waitFor(() => expect(made).toHaveLength(1));
  expect(made[0]?.body).toMatchObject({ device_ids: Array.from({ length: 130 }, (_, at) => at + 1) });
});

test('pasted numbers of gateways are added, and those that do not fit are named', async () => {
  const { user } = await plans([]);
  answer<ListFirmwareGatewaysData, ListFirmwareGatewaysResponse>('get', '/api/v1/firmware/gateway', ({ query }) => {
    const known = [GATEWAY, { ...GATEWAY, device_id: 4, gateway_id: 'gw-4', takes_firmware: false }];
    const rows = known.filter(({ gateway_id }) => query.getAll('gateway_id').includes(gateway_id));
    return { rows, total: rows.length };
  });
  await user.click(screen.getByTestId('firmware-plans-create'));
  await screen.findByTestId('plan-name');
  await user.click(screen.getByRole('radio', { name: 'By gateway' }));
  await user.click(await screen.findByTestId('choose-paste'));
  await type(user, 'choose-serials', 'gw-3\ngw-4; gw-99,gw-3');
  await user.click(screen.getByTestId('choose-find'));
  expect((await screen.findByTestId('choose-added')).textContent).toBe('Added: 1; chosen already: 0');
  expect(screen.getByTestId('choose-unknown').textContent).toBe('Not found (1): gw-99');
  expect(screen.getByTestId('choose-unable').textContent).toBe('Take no firmware (1): gw-4');
  expect(screen.getByText('Pump (gw-3)')).toBeDefined();
});

test('a window with an order that is shorter than a day is refused where it stands', async () => {
  const { user } = await plans([]);
  const made = created();
  await user.click(screen.getByTestId('firmware-plans-create'));
  await screen.findByTestId('plan-name');
  await user.click(field('plan-window'));
  await type(user, 'plan-expires_s', '2h');
  await user.click(await save());
  expect(await screen.findByText(/At least 1d with switch hours/)).toBeDefined();
  expect(screen.getAllByText('Required').length).toBeGreaterThanOrEqual(3); // number, projects, file
  expect(made).toHaveLength(0);
});

test('without a key the editor says where one is added', async () => {
  const { user } = await plans([], []);
  await user.click(screen.getByTestId('firmware-plans-create'));
  const notice = await screen.findByTestId('plan-no-key');
  expect(within(notice).getByRole('link', { name: 'Add a key' }).getAttribute('href')).toBe('/ota/firmware?tab=keys');
});

test('another upgrade type takes the chosen file away and offers files of that type', async () => {
  const { user, files } = await plans([]);
  await user.click(screen.getByTestId('firmware-plans-create'));
  await screen.findByTestId('plan-name');
  await choose(user, 'plan-file', /edge-agent 2\.0/);
  await user.click(screen.getByRole('radio', { name: 'Application package (1)' }));
  expect(field('plan-file').value).toBe('');
  await user.click(field('plan-file'));
  await waitFor(() => expect(files.at(-1)?.query.get('upgrade_type')).toBe('1'));
});

test('errors of the cloud stand at their fields', async () => {
  const { user } = await plans([DRAFT]);
  created();
  refuse<ChangeFirmwarePlanData>('put', PLAN_URL, {
    status: 400,
    data: { field: 'rules.zone', rule: 'a time zone by its IANA name, as Asia/Shanghai' },
  });
  await user.click(screen.getByTestId('row-edit'));
  await user.click(await screen.findByTestId('plan-window'));
  await user.click(await save());
  await waitFor(() => expect(field('plan-zone').getAttribute('aria-invalid')).toBe('true'));
  refuse<ChangeFirmwarePlanData>('put', PLAN_URL, {
    status: 400,
    data: { field: 'body.rules.growth', rule: 'at most 10' },
  });
  await user.click(await save());
  expect(await screen.findByText('Must be at most 10')).toBeDefined();
});

test('a plan of gateways is edited with their titles; a copy has another number and opens by itself', async () => {
  const { user } = await plans([{ ...DRAFT, targets: [] }]);
  const made = created();
  const changed = answer<ChangeFirmwarePlanData, ChangeFirmwarePlanResponse>('put', PLAN_URL, DRAFT);
  await user.click(screen.getByTestId('row-edit'));
  expect(await screen.findByText('Pump')).toBeDefined();
  expect(screen.getByText('Mill')).toBeDefined();
  await type(user, 'plan-title', 'slower');
  await user.click(await save());
  await waitFor(() => expect(changed).toHaveLength(1));
  expect(changed[0]?.body).toMatchObject({ title: 'slower', device_ids: [3, 4], scope: 2, plan_control_count: 1 });
  await user.click(await screen.findByTestId('row-copy'));
  await waitFor(() => expect(field('plan-name').value).toBe(''));
  await type(user, 'plan-name', '13');
  await user.click(await save());
  await waitFor(() => expect(made[0]?.body).toMatchObject({ name: 13, device_ids: [3, 4] }));
});

test('a plan that was started shows what it keeps, and offers no field for it', async () => {
  const { user } = await plans([begun('paused')]);
  await user.click(screen.getByTestId('row-edit'));
  const kept = await screen.findByTestId('plan-fixed');
  expect(kept.textContent).toContain('edge-agent 2.0 (2)');
  expect(kept.textContent).toContain('Control count: 1');
  for (const name of ['plan-range', 'plan-file', 'plan-scope', 'plan-created-after'])
    expect(screen.queryByTestId(name), name).toBeNull();
  expect(screen.getByTestId('plan-success')).toBeDefined();
});

test('a running plan is neither edited nor deleted; the list says why', async () => {
  await plans([begun('running')]);
  expect(screen.getByTestId('row-edit').getAttribute('aria-disabled')).toBe('true');
  expect(screen.getByTestId('row-remove').getAttribute('aria-disabled')).toBe('true');
  const [row] = screen.getAllByTestId('firmware-plans-row');
  expect(within(row!).getByRole('img').getAttribute('aria-label')).toBe(
    'Succeeded: 3, Under way: 2, Waiting: 8, Failed: 1',
  );
});
