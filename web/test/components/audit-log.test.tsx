import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import type { AuditRow, ListAuditData, ListAuditResponse } from '@/api/generated/types.gen';
import AuditLog from '@/features/platform/screens/AuditLog';
import { usePreferences } from '@/lib/preferences';
import { serverNow } from '@/lib/serverClock';
import { formatDateTime } from '@/lib/time';
import { answer, network, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

beforeEach(() => usePreferences.setState({ pageSize: 20 }));

const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(name);
const at = (name: string, place: number): HTMLElement => screen.getAllByTestId(name)[place] as HTMLElement;
const AUDIT = '/api/v1/audit';
const AT = 1_700_000_000_000;
const MAY = { permissions: ['auth.Audit', 'Monitor.DeviceMonitor'] };

function audit(changes: Partial<AuditRow> = {}): AuditRow {
  return {
    id: 1,
    at_ms: AT,
    user_id: 5,
    user_name: 'li',
    address: '10.1.1.1',
    method: 'PUT',
    path: '/api/v1/device/3',
    operation: 'changeDevice',
    ids: { device_id: 3 },
    query: {},
    changes: {},
    status: 200,
    code: 0,
    duration_ms: 12,
    request_id: 'r-77',
    thing: 'Pump',
    things: {},
    result: 'succeeded',
    ...changes,
  };
}

let asked: Call[];

async function audits(rows: AuditRow[], search = '', total = rows.length): Promise<Rendered> {
  asked = answer<ListAuditData, ListAuditResponse>('get', AUDIT, { rows, total });
  const page = await show(<AuditLog />, { ...MAY, at: `/${search}` });
  if (rows.length === 0) await screen.findByTestId('empty-state');
  else await waitFor(() => expect(screen.getAllByTestId('audit-row')).toHaveLength(rows.length));
  return page;
}

const last = (): Record<string, string> => Object.fromEntries(asked.at(-1)?.query ?? []);
const address = (): Record<string, string> => Object.fromEntries(new URLSearchParams(window.location.search));
const cells = (row: HTMLElement): string[] => [...row.querySelectorAll('th, td')].map(({ textContent }) => textContent);

test.each([
  [{}, 'li changed device "Pump"', 'Succeeded'],
  [{ user_name: '', thing: '' }, 'A visitor without a session changed device "no. 3"', 'Succeeded'],
  [
    { result: 'failed', status: 403, code: 10_001 },
    'li attempted "Change a device" (Pump): refused',
    'Refused: no permission',
  ],
  [
    { result: 'failed', status: 500, code: 20_000 },
    'li attempted "Change a device" (Pump): failed',
    'Failed 500/20000',
  ],
  [{ operation: '', result: 'unknown' }, 'li PUT /api/v1/device/3', 'Unknown'],
] as const)('a row %o says %s: %s', async (changes, sentence, result) => {
  await audits([audit(changes)]);
  expect(cells(at('audit-row', 0))).toEqual([formatDateTime(AT), sentence, result, '10.1.1.1']);
});

test('the log is asked for the last seven days', async () => {
  await audits([audit()]);
  const { start_ms: from, end_ms: to, ...rest } = last();
  expect(rest).toEqual({ page: '1', limit: '20' });
  expect(Number(to) - Number(from)).toBe(7 * 86_400_000);
  expect(Math.abs(Number(to) - serverNow())).toBeLessThan(60_000);
});

test('filters are read from the address, and one that the cloud does not know is left out', async () => {
  const search = `?user=li&thing=Pump&kind=nothing&outcome=refused&operation=changeDevice&start=1&end=2&page=2`;
  await audits([audit()], search, 45);
  expect(last()).toEqual({
    user: 'li',
    thing: 'Pump',
    operation: 'changeDevice',
    outcome: 'refused',
    start_ms: '1',
    end_ms: '2',
    page: '2',
    limit: '20',
  });
  expect(field('filter-user').value).toBe('li');
  expect(field('filter-operation').value).toBe('Change a device');
});

test('what is chosen goes into the address, and starts at the first page again', async () => {
  const { user } = await audits([audit()], '?page=2', 45);
  await user.click(field('filter-kind'));
  await user.click(await screen.findByRole('option', { name: 'Commands', hidden: true }));
  await waitFor(() => expect(last()).toMatchObject({ kind: 'command', page: '1' }));
  await user.type(field('filter-operation'), 'Delete a user');
  await user.click(await screen.findByRole('option', { name: 'Delete a user', hidden: true }));
  await waitFor(() => expect(last().operation).toBe('deleteUser'));
  await user.type(field('filter-user'), ' wang ');
  await waitFor(() => expect(last().user).toBe('wang'));
  expect(address()).toEqual({ kind: 'command', operation: 'deleteUser', user: 'wang' });
});

test('no operation in the period and none that matches are told apart', async () => {
  const { user } = await audits([], '?outcome=failed');
  expect(screen.getByTestId('empty-state').textContent).toContain('Nothing matches the filter');
  await user.click(field('table-clear'));
  await waitFor(() => expect(screen.getByTestId('empty-state').textContent).toContain('No operations in this period'));
  expect(address()).toEqual({});
});

test('the log that cannot be read says why; who may not read it is told so', async () => {
  refuse<ListAuditData>('get', AUDIT, { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user } = await show(<AuditLog />, MAY);
  expect((await screen.findByTestId('error-state')).textContent).toContain('disk full');
  refuse<ListAuditData>('get', AUDIT, { status: 403, code: 10_001 });
  await user.click(within(screen.getByTestId('error-state')).getByRole('button'));
  expect((await screen.findByTestId('empty-state')).textContent).toContain('You have no permission for this list');
});

test('a row opens whole: who, from where, what changed, and the way to the thing', async () => {
  const { user, went } = await audits([
    audit({
      changes: {
        before: { title: 'Pump', remark: '', longitude: 1 },
        after: { title: 'Pump 1', remark: 'new', longitude: 2 },
      },
      query: { dry: true },
    }),
  ]);
  expect(cells(at('audit-row', 0))[1]).toMatch(/and 1 more$/);
  await user.click(screen.getByText(/^li changed device/));
  const detail = await screen.findByTestId('audit-detail');
  const told = within(detail);
  expect(told.getAllByRole('listitem')).toHaveLength(3);
  expect(told.getByTestId('audit-changes').textContent).toContain('from Pump to Pump 1');
  expect(detail.textContent).toContain('Succeeded · HTTP 200 · 0');
  expect(detail.textContent).toContain('r-77');
  expect(detail.textContent).toContain('PUT /api/v1/device/3');
  expect(told.getAllByTestId('audit-json').map(({ textContent }) => JSON.parse(textContent) as unknown)).toEqual([
    { dry: true },
    expect.objectContaining({ before: { title: 'Pump', remark: '', longitude: 1 } }),
  ]);
  await user.click(told.getByTestId('audit-thing'));
  expect(went()).toBe('/deviceDetail/index?device_id=3');
});

test('who may not open the thing is not led to it', async () => {
  asked = answer<ListAuditData, ListAuditResponse>('get', AUDIT, { rows: [audit()], total: 1 });
  const { user } = await show(<AuditLog />, { permissions: ['auth.Audit'] });
  await user.click(await screen.findByText(/^li changed device/));
  await screen.findByTestId('audit-detail');
  expect(screen.queryByTestId('audit-thing')).toBeNull();
});

test('what was deleted is not led to', async () => {
  const { user } = await audits([audit({ operation: 'deleteDevice' })]);
  await user.click(screen.getByText(/^li deleted/));
  await screen.findByTestId('audit-detail');
  expect(screen.queryByTestId('audit-thing')).toBeNull();
  expect(screen.queryByTestId('audit-changes')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByTestId('audit-detail')).toBeNull());
});

test('a command tells target, wanted and read value and what came of it', async () => {
  const after = {
    gateway_id: 'gw-1',
    device_title: 'Boiler house',
    slave_title: 'Boiler',
    ds_title: 'Setpoint',
    action: 'W',
    value: 1.2,
    read_back: 1.1,
    unit: 'bar',
    outcome: 'settled_other',
    seen_ms: AT,
  };
  const { user } = await audits([audit({ operation: 'sendCommand', changes: { after } })]);
  expect(cells(at('audit-row', 0))[1]).toBe('li sent a command to "Pump": value 1.2 bar');
  await user.click(screen.getByText(/^li sent a command/));
  const detail = (await screen.findByTestId('audit-detail')).textContent;
  expect(detail).toContain('Boiler house / Boiler / Setpoint');
  expect(detail).toContain('Requested value1.2 bar');
  expect(detail).toContain('Read-back value1.1 bar');
  expect(detail).toContain(`Value differs: 1.1 bar was read at ${formatDateTime(AT)}`);
});

test('the whole log is exported with the filters of the page, by who may', async () => {
  const exports: URLSearchParams[] = [];
  network.use(
    http.get('*/api/v1/audit/export', ({ request }) => {
      exports.push(new URL(request.url).searchParams);
      return new HttpResponse('a,b\r\n', { headers: { 'content-type': 'text/csv' } });
    }),
  );
  Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined });
  const files: string[] = [];
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    files.push(this.download);
  });
  const { user, unmount } = await audits([audit()], '?kind=device&page=2&start=1&end=2', 45);
  await user.click(field('table-more'));
  await user.click(await screen.findByTestId('table-export'));
  await waitFor(() => expect(files).toEqual(['audit.csv']));
  click.mockRestore();
  expect(Object.fromEntries(exports[0] ?? [])).toEqual({ kind: 'device', start_ms: '1', end_ms: '2' });
  unmount();
  await show(<AuditLog />);
  await user.click(await screen.findByTestId('table-more'));
  expect((await screen.findByTestId<HTMLButtonElement>('table-export')).disabled).toBe(true);
});
