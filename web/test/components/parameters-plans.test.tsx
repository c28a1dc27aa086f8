import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type {
  CreateParameterPlanData,
  CreateParameterPlanResponse,
  GetJobData,
  GetJobResponse,
  GetParameterPlanData,
  GetParameterPlanResponse,
  ListDevicesData,
  ListDevicesResponse,
  ListParameterGatewaysData,
  ListParameterGatewaysResponse,
  ListParameterPlanResultsData,
  ListParameterPlanResultsResponse,
  ListParameterPlansData,
  ListParameterPlansResponse,
  ListProjectsData,
  ListProjectsResponse,
  PreviewParameterPlanData,
  PreviewParameterPlanResponse,
  RunParameterPlanData,
  RunParameterPlanResponse,
} from '@/api/generated/types.gen';
import OtaGateways from '@/features/parameters/screens/OtaGateways';
import { answer } from './network';
import type { Call } from './network';
import { gateway, MAY, PLAN, serveGroups, T } from './parameter-fixtures';
import { show } from './render';
import type { Rendered } from './render';

const ONE = '/api/v1/ota/parameter-plan/{parameter_plan_id}' as const;
const open = (search: string): Promise<Rendered> =>
  show(<OtaGateways />, { permissions: MAY, flags: { ot: 1 }, at: `/ota/device${search}` });

/** One plan for three gateways, one of which has a draft, and what came of it. */
function serve(results: object[] = []): void {
  serveGroups();
  answer<ListParameterPlansData, ListParameterPlansResponse>('get', '/api/v1/ota/parameter-plan', {
    rows: [PLAN],
    total: 1,
  });
  answer<GetParameterPlanData, GetParameterPlanResponse>('get', ONE, PLAN);
  answer<PreviewParameterPlanData, PreviewParameterPlanResponse>('get', `${ONE}/preview`, {
    total: 3,
    counts: { '': 1, has_draft: 1, offline: 1 },
    rows: [
      gateway({ changes: [{ field: 'run.report_interval_s', before: null, after: 60 }] }),
      gateway({ device_id: 8, device_title: 'Mill', skip: 'has_draft' }),
      gateway({
        device_id: 9,
        device_title: 'Pump',
        skip: 'offline',
        faults: [{ field: 'run.report_interval_s', rule: 'must be at least 60 with power saving' }],
      }),
    ],
  });
  answer<ListParameterPlanResultsData, ListParameterPlanResultsResponse>('get', `${ONE}/gateway`, {
    rows: results as never,
    total: results.length,
  });
}

const job = (rows: object[]): void => {
  answer<GetJobData, GetJobResponse>('get', '/api/v1/job/{job_id}', {
    id: 31,
    kind: 'parameter_plan',
    state: 'completed',
    code: '',
    file_name: '',
    done: 3,
    total: 3,
    started_ms: T,
    summary: { rows, counts: {} },
  } as never);
};
const runs = (): Call[] =>
  answer<RunParameterPlanData, RunParameterPlanResponse>('post', `${ONE}/run`, { id: 31 } as never);

test('the preview has the difference of each gateway, and why others are left out', async () => {
  serve();
  await open('?tab=plans&plan=5');
  const counts = await screen.findByTestId('preview-counts');
  expect(counts.textContent).toContain('1 left out: has a draft that is not deployed');
  const [boiler, mill, pump] = screen.getAllByTestId('preview-gateway');
  expect(within(boiler!).getByTestId('field-change').textContent).toContain('Run and power mode · Report interval');
  expect(mill!.textContent).toContain('Left out: has a draft');
  expect(within(pump!).getByTestId('preview-faults').textContent).toContain('Must be at least 60 with power saving');
});

test('a run asks how many gateways it changes, and is followed', async () => {
  serve();
  job([
    {
      device_id: 7,
      device_title: 'Boiler house',
      gateway_id: 'gw-1',
      step: 'failed',
      state: 'reverted',
      code: 'points',
    },
    { device_id: 8, device_title: 'Mill', gateway_id: 'gw-2', step: 'skipped', state: '', code: 'has_draft' },
  ]);
  const calls = runs();
  const { user } = await open('?tab=plans&plan=5');
  await waitFor(() => expect(screen.getByTestId('plan-run').textContent).toBe('Run (1)'));
  await user.click(screen.getByTestId('run-options'));
  await user.click(screen.getByTestId('run-wait'));
  await waitFor(() => expect(screen.getByTestId('plan-run').textContent).toBe('Run (2)'));
  await user.click(screen.getByTestId('plan-run'));
  expect(await screen.findByText(/parameters of 2 gateways will be changed/)).toBeTruthy();
  expect(calls).toHaveLength(0);
  await user.click(screen.getByTestId('confirm-yes'));
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(calls[0]?.body).toMatchObject({ version: 3, wait: true, canary: 1, error_share: 0.2, device_ids: [] });
  expect((await screen.findByText(/has a draft that is not deployed/)).textContent).toBeTruthy();
  await user.click(screen.getByTestId('plan-retry'));
  await user.click(within(screen.getByTestId('plan-run-form')).getByTestId('plan-run'));
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(calls).toHaveLength(2));
  expect(calls[1]?.body).toMatchObject({ device_ids: [7] });
});

test('results say what each gateway answered, and what its machine does not support', async () => {
  const result = {
    device_id: 7,
    device_title: 'Boiler house',
    gateway_id: 'gw-1',
    version: 3,
    deployment_id: 'dep-1',
    state: 'confirmed',
    code: '',
    detail: '',
    begun_ms: T,
    finished_ms: T,
    conditions: [{ group: 'hotspot', condition: 'not_supported', reason: 'this machine has no hostapd' }],
  };
  const refused = {
    device_id: 8,
    device_title: 'Mill',
    deployment_id: '',
    state: 'refused',
    code: 'must be at least 60 with power saving',
  };
  serve([result, { ...result, ...refused, conditions: [] }]);
  await open('?tab=plans&plan=5&view=results');
  await waitFor(() => expect(screen.getAllByTestId('plan-results-row')).toHaveLength(2));
  const [boiler, mill] = screen.getAllByTestId('plan-results-row');
  expect(boiler!.textContent).toContain(
    'WiFi hotspot · Not supported by this gateway and without effect: · hostapd is not installed',
  );
  expect(within(boiler!).getByTestId<HTMLAnchorElement>('result-receipts').href).toContain('deployment=dep-1');
  expect(mill!.textContent).toContain('Must be at least 60 with power saving');
  expect(screen.getByTestId('plan-retry').textContent).toContain('1');
});

test('a plan is made of fields that are chosen', async () => {
  serve();
  answer<ListProjectsData, ListProjectsResponse>('get', '/api/v1/project', {
    nodes: [{ id: 2, parent_id: null, kind: 'project', title: 'East', devices: 3 }],
    none: { devices: 0 },
  } as never);
  const made = answer<CreateParameterPlanData, CreateParameterPlanResponse>('post', '/api/v1/ota/parameter-plan', PLAN);
  const { user } = await open('?tab=plans');
  await user.click(await screen.findByTestId('parameter-plans-create'));
  fireEvent.change(await screen.findByTestId('plan-title'), { target: { value: 'Slow lines' } });
  await user.click(screen.getByTestId('plan-projects'));
  await user.click(await screen.findByRole('option', { name: 'East' }));
  await user.click(screen.getByTestId('change-group'));
  await user.click(await screen.findByRole('option', { name: 'Serial lines (UART)' }));
  expect(screen.getByTestId<HTMLInputElement>('change-row').value).toBe('*');
  await user.click(screen.getByTestId('change-fields'));
  await user.click(await screen.findByRole('option', { name: 'Baud rate' }));
  const baud = await screen.findByTestId('field-changes.0.values.baud');
  fireEvent.change(baud, { target: { value: '100' } });
  await user.click(screen.getByTestId('form-save'));
  expect(made).toHaveLength(0);
  fireEvent.change(baud, { target: { value: '2400' } });
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(made).toHaveLength(1));
  expect(made[0]?.body).toMatchObject({
    title: 'Slow lines',
    version: 1,
    project_ids: [2],
    changes: [{ group: 'uart', row: '*', values: { baud: 2400 } }],
  });
});

test('the list has plan and draft of each gateway, firmware only for who may know of it', async () => {
  serve();
  const rows = [
    {
      id: 7,
      device_title: 'Boiler house',
      binder_devtitle: '',
      gateway_id: 'gw-1',
      status: 'online',
      presence: { code: '' },
    },
    { id: 8, device_title: 'Mill', binder_devtitle: '', gateway_id: 'gw-2', status: 'offline', presence: { code: '' } },
  ];
  answer<ListDevicesData, ListDevicesResponse>('get', '/api/v1/device', { rows, total: 2 } as never);
  answer<ListProjectsData, ListProjectsResponse>('get', '/api/v1/project', {
    nodes: [],
    none: { devices: 0 },
  } as never);
  const plan = { parameter_plan_id: 5, title: 'Quiet', version: 3, state: 'confirmed', code: '', begun_ms: T };
  const asked = answer<ListParameterGatewaysData, ListParameterGatewaysResponse>(
    'get',
    '/api/v1/ota/parameter-gateway',
    [
      { device_id: 7, draft: null, plan },
      { device_id: 8, draft: 'd', plan: null },
    ],
  );
  await open('');
  await waitFor(() => expect(screen.getAllByTestId('ota-gateways-row')).toHaveLength(2));
  const [boiler, mill] = screen.getAllByTestId('ota-gateways-row');
  expect(boiler!.textContent).toContain('Quiet (version 3)');
  expect(mill!.textContent).toContain('Changes not deployed');
  expect(asked[0]?.query.getAll('device_id')).toEqual(['7', '8']);
  expect(screen.queryByText('Firmware version')).toBeNull();
});
