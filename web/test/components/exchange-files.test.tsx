import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type {
  ChangeExchangeRuleData,
  ChangeExchangeRuleResponse,
  CreateExchangeRuleData,
  CreateExchangeRuleResponse,
  DeleteExchangeRuleData,
  DeleteExchangeRuleResponse,
  DeleteJobData,
  DeleteJobResponse,
  ExchangePoint,
  ExchangeRow,
  Job,
  ListDataSourcesData,
  ListDataSourcesResponse,
  ListExchangeRulesData,
  ListExchangeRulesResponse,
  ListJobsData,
  ListJobsResponse,
} from '@/api/generated/types.gen';
import ExchangeRules from '@/features/exchange/screens/ExchangeRules';
import FileList from '@/features/files/screens/FileList';
import { source } from './fixtures';
import { answer, refuse } from './network';
import { show } from './render';
import type { Rendered } from './render';

const RULE_URL = '/api/v1/device/dataexchange';
const MAY = ['DataExchange', 'Device/cmd'];

const end = (dsid: number, device_title: string): ExchangePoint => ({
  ds_type: 'num',
  data_type: 'float32',
  unit: 'bar',
  decimals: 2,
  device_id: dsid,
  device_title,
  gateway_id: `gw-${dsid}`,
  slave_title: 'Boiler',
  dsid,
  ds_name: 'pressure',
  ds_title: 'Pressure',
});

function rule(changes: Partial<ExchangeRow> = {}): ExchangeRow {
  return {
    id: 1,
    title: 'Copy pressure',
    enabled: true,
    source: end(11, 'Boiler house'),
    target: end(12, 'Display'),
    ratio: 0.1,
    bias: 0,
    every_s: 60,
    created_ms: 0,
    last_ms: null,
    last_value: null,
    status: '',
    problem: '',
    home: 'cloud',
    home_reason: '',
    ...changes,
  };
}

const BODY = {
  title: 'Copy pressure',
  enabled: true,
  source_dsid: 11,
  target_dsid: 12,
  ratio: 0.1,
  bias: 0,
  every_s: 60,
};

beforeEach(() => {
  answer<ListDataSourcesData, ListDataSourcesResponse>('get', '/api/v1/device/dss', ({ query }) => {
    const dsid = Number(query.get('device_id'));
    const rows = [source({ dsid }), source({ dsid: dsid + 100, ds_title: 'Read only', rw: 'readonly' })];
    return { rows, total: 2 } as unknown as ListDataSourcesResponse['data'];
  });
});

async function rules(rows: ExchangeRow[], permissions = MAY): Promise<Rendered> {
  answer<ListExchangeRulesData, ListExchangeRulesResponse>('get', RULE_URL, { rows, total: rows.length });
  const page = await show(<ExchangeRules />, { permissions });
  await waitFor(() => expect(screen.queryAllByTestId('exchange-row')).toHaveLength(rows.length));
  return page;
}

const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(name);

test('a rule needs a title and both ends', async () => {
  const created = answer<CreateExchangeRuleData, CreateExchangeRuleResponse>('post', RULE_URL, rule());
  const { user } = await rules([]);
  await user.click(field('exchange-create'));
  await user.type(await screen.findByTestId('rule-title'), '   ');
  expect(field('source-point').disabled).toBe(true);
  await user.click(field('form-save'));
  await waitFor(() => expect(field('rule-title').getAttribute('aria-invalid')).toBe('true'));
  expect(field('source-device').getAttribute('aria-invalid')).toBe('true');
  expect(field('target-device').getAttribute('aria-invalid')).toBe('true');
  expect(created).toEqual([]);
});

test('a changed rule goes out with numbers; of the target only what can be written is offered', async () => {
  const changed = answer<ChangeExchangeRuleData, ChangeExchangeRuleResponse>('put', `${RULE_URL}/{rule_id}`, rule());
  const { user } = await rules([rule()]);
  await user.click(field('row-edit'));
  await user.type(await screen.findByTestId('rule-title'), ' 2');
  await waitFor(() => expect(field('target-point').value).toContain('Pressure setpoint'));
  await user.click(field('target-point'));
  const offered = (await screen.findAllByRole('option', { hidden: true })).map(({ textContent }) => textContent);
  expect(offered.filter((text) => text.startsWith('Read only'))).toHaveLength(1);
  await user.keyboard('{Escape}');
  await user.click(field('form-save'));
  await waitFor(() => expect(changed).toHaveLength(1));
  expect(changed[0]?.body).toEqual({ ...BODY, title: 'Copy pressure 2' });
});

test('a deleted rule comes back by the toast as it was', async () => {
  const gone = answer<DeleteExchangeRuleData, DeleteExchangeRuleResponse>('delete', `${RULE_URL}/{rule_id}`, null);
  const created = answer<CreateExchangeRuleData, CreateExchangeRuleResponse>('post', RULE_URL, rule());
  const { user } = await rules([rule()]);
  await user.click(field('row-remove'));
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(gone).toHaveLength(1));
  await user.click(await screen.findByTestId('undo'));
  await waitFor(() => expect(created[0]?.body).toEqual(BODY));
});

test.each([[['DataExchange']], [['Device/cmd']], [[]]])('with %j only a rule is not changed', async (permissions) => {
  await rules([rule()], permissions);
  const off = ['exchange-create', 'row-edit', 'row-remove'].map((name) => field(name).getAttribute('aria-disabled'));
  expect(off).toEqual(['true', 'true', 'true']);
});

test('points that cannot be loaded are told at their field', async () => {
  refuse<ListDataSourcesData>('get', '/api/v1/device/dss', { status: 400, code: 20_000, data: { message: 'gone' } });
  const { user } = await rules([rule()]);
  await user.click(field('row-edit'));
  await screen.findByTestId('rule-title');
  await waitFor(() => expect(field('source-point').getAttribute('aria-invalid')).toBe('true'));
  expect(screen.getAllByText(/gone/).length).toBeGreaterThan(0);
});

function job(changes: Partial<Job> = {}): Job {
  return {
    id: 5,
    kind: 'device_export',
    title: 'Devices',
    state: 'completed',
    user_id: 1,
    user_name: 'tester',
    created_ms: 0,
    started_ms: 0,
    finished_ms: 0,
    expires_ms: null,
    cancelling: false,
    done: 1,
    total: 1,
    code: '',
    detail: '',
    file_name: 'devices.xlsx',
    size: 2_048,
    ...changes,
  } as Job;
}

async function files(rows: Job[], at = '/') {
  const calls = answer<ListJobsData, ListJobsResponse>('get', '/api/v1/job', {
    rows,
    total: rows.length,
  } as unknown as ListJobsResponse['data']);
  const page = await show(<FileList />, { at });
  await waitFor(() => expect(screen.queryAllByTestId('files-row')).toHaveLength(rows.length));
  return { ...page, calls };
}

test('only what is completed and has a file is downloaded', async () => {
  await files([
    job(),
    job({ id: 6, state: 'generating', file_name: '' }),
    job({ id: 7, state: 'failed', file_name: '' }),
    job({ id: 8, file_name: '' }),
  ]);
  const rows = screen.getAllByTestId('files-row');
  const has = rows.map((row) => row.querySelector('[data-testid=file-download]') !== null);
  expect(has).toEqual([true, false, false, false]);
});

test('a campaign is followed on its own page', async () => {
  const { user, went } = await files([job({ id: 9, kind: 'project_deploy', file_name: '' })]);
  await user.click(field('file-follow'));
  await waitFor(() => expect(went()).toContain('/group/index?job=9'));
});

test('filters of the address are asked of the cloud; a state that is none is not sent', async () => {
  const { calls, unmount } = await files([job()], '/?state=failed&whose=all');
  expect(calls[0]?.query.get('state')).toBe('failed');
  expect(calls[0]?.query.get('everybody')).toBe('true');
  unmount();
  const other = await files([job()], '/?state=nonsense');
  expect(other.calls[0]?.query.get('state')).toBeNull();
  expect(other.calls[0]?.query.get('everybody')).toBe('false');
});

test('a running job is cancelled once; the question says what it means', async () => {
  const gone = answer<DeleteJobData, DeleteJobResponse>('delete', '/api/v1/job/{job_id}', null);
  const { user } = await files([
    job({ id: 1, state: 'generating', file_name: '', cancelling: true }),
    job({ id: 2, state: 'generating', file_name: '' }),
    job({ id: 3 }),
  ]);
  const [cancelling, running, finished] = screen.getAllByTestId('row-remove');
  expect(cancelling?.getAttribute('aria-disabled')).toBe('true');
  await user.click(running as HTMLElement);
  const first = (await screen.findByTestId('confirm-dialog')).textContent;
  await user.click(field('confirm-no'));
  await user.click(finished as HTMLElement);
  expect((await screen.findByTestId('confirm-dialog')).textContent).not.toBe(first);
  await user.click(field('confirm-yes'));
  await waitFor(() => expect(gone).toHaveLength(1));
});
