import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type {
  DeleteOnOfflineEntryData,
  DeleteOnOfflineEntryResponse,
  ListOnOfflineLogData,
  ListOnOfflineLogResponse,
  OnOfflineEntry,
} from '@/api/generated/types.gen';
import { serverNow } from '@/lib/serverClock';
import { formatDateTime } from '@/lib/time';
import { address, answerGateway, AT, cells, field, given, LOG, page } from './monitor-fixtures';
import type { Page } from './monitor-fixtures';
import { answer, refuse } from './network';
import type { Call } from './network';
import type { Rendered } from './render';

const ENTRY = '/api/v1/device/onofflinelog/{entry_id}';
const DAY_MS = 86_400_000;

function entry(changes: Partial<OnOfflineEntry> = {}): OnOfflineEntry {
  return {
    id: 31,
    device_id: 1,
    slave: null,
    slave_title: null,
    offline_ms: AT,
    online_ms: AT + 90_000,
    duration_ms: 90_000,
    reason: 'link_lost',
    lent_to: null,
    ...changes,
  };
}

beforeEach(answerGateway);

let logs: Call[];

function log(rows: OnOfflineEntry[], search = '', more: Page & { total?: number } = {}): Promise<Rendered> {
  const { total = rows.length, ...who } = more;
  logs = answer<ListOnOfflineLogData, ListOnOfflineLogResponse>('get', LOG, { rows, total });
  return page(`device_id=1&tab=onoff${search}`, who);
}

const logged = (): Promise<HTMLElement[]> => screen.findAllByTestId('onoff-row');
const lastLog = (): Record<string, string> => Object.fromEntries(logs.at(-1)?.query ?? []);

test('absences tell whose they were, how long and why', async () => {
  await log([
    entry(),
    entry({ id: 32, slave: 'tank', slave_title: 'Tank', reason: 'port_lent', lent_to: 'Li' }),
    entry({ id: 33, slave: 'plc', slave_title: '', online_ms: null, reason: 'new_reason' }),
  ]);
  const [gateway, lent, lasting] = await logged();
  expect(cells(gateway).slice(0, 5)).toEqual([
    'Gateway',
    formatDateTime(AT),
    formatDateTime(AT + 90_000),
    expect.stringMatching(/min|s/),
    'connection to the gateway lost',
  ]);
  expect(cells(lent)[0]).toBe('Tank');
  expect(cells(lent)[4]).toBe('Port in use by Li');
  expect(cells(lasting)[0]).toBe('plc');
  expect(cells(lasting)[2]).toBe('still offline');
  expect(cells(lasting)[4]).toBe('new_reason');
});

test('the last seven days without an end are asked for, with slaves and of any length', async () => {
  await log([entry()]);
  await logged();
  const { from_ms: from, ...rest } = lastLog();
  expect(rest).toEqual({ device_id: '1', slaves: 'true', at_least_ms: '0', page: '1', limit: '20' });
  expect(Math.abs(Number(from) - (serverNow() - 7 * DAY_MS))).toBeLessThan(60_000);
});

test('the filters of absences stand in the address and go to the cloud', async () => {
  const { user } = await log([entry()], '&shortest=60');
  await logged();
  expect(lastLog()).toMatchObject({ slaves: 'true', at_least_ms: '60000' });
  await user.click(field('onoff-slaves'));
  await waitFor(() => expect(lastLog().slaves).toBe('false'));
  expect(address()).toMatchObject({ slaves: 'no', shortest: '60' });
  await user.click(field('onoff-shortest'));
  await user.click(await screen.findByRole('option', { name: 'Any duration', hidden: true }));
  await waitFor(() => expect(lastLog().at_least_ms).toBe('0'));
  expect(address().shortest).toBeUndefined();
});

test('a shortest length that is none of those offered counts as any', async () => {
  await log([entry()], '&shortest=7');
  await logged();
  expect(lastLog().at_least_ms).toBe('0');
});

test('a period with an end is asked for with it', async () => {
  await log([entry()], `&start=${AT}&end=${AT + DAY_MS}`);
  await logged();
  expect(lastLog()).toMatchObject({ from_ms: String(AT), to_ms: String(AT + DAY_MS) });
});

test('another period goes into the address and starts at the first page', async () => {
  const { user } = await log([entry()], '', { total: 45 });
  await user.click(await screen.findByLabelText('Page 2'));
  await waitFor(() => expect(lastLog().page).toBe('2'));
  await user.click(screen.getByTestId('range-picker'));
  await user.click(await screen.findByTestId('range-past30Days'));
  await waitFor(() => expect(lastLog().page).toBe('1'));
  expect(address().range).toBe('past30Days');
});

test('that no absence passes the filters does not say that there was none', async () => {
  const { user } = await log([], '&shortest=3600&slaves=no');
  expect((await screen.findByTestId('empty-state')).textContent).toContain('Nothing matches the filter');
  await user.click(screen.getByTestId('table-clear'));
  await waitFor(() => expect(screen.getByTestId('empty-state').textContent).toContain('No outages in this period'));
  expect(lastLog()).toMatchObject({ slaves: 'true', at_least_ms: '0' });
});

test('the log of absences that cannot be read says why', async () => {
  refuse<ListOnOfflineLogData>('get', LOG, { status: 500, code: 20_000, data: { message: 'disk full' } });
  await page('device_id=1&tab=onoff');
  expect((await screen.findByTestId('error-state')).textContent).toContain('disk full');
});

test('a record is deleted after a question that says which; the list is read again', async () => {
  const deleted = answer<DeleteOnOfflineEntryData, DeleteOnOfflineEntryResponse>('delete', ENTRY, null);
  const { user } = await log([entry({ slave: 'tank', slave_title: 'Tank' })]);
  await logged();
  await user.click(field('onoff-delete'));
  expect((await screen.findByTestId('onoff-dialog')).textContent).toContain(
    `The offline record of Tank from ${formatDateTime(AT)} will be permanently deleted.`,
  );
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(deleted).toEqual([]);
  await user.click(field('onoff-delete'));
  const before = logs.length;
  await user.click(await screen.findByTestId('onoff-confirm'));
  await waitFor(() => expect(deleted).toHaveLength(1));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(logs.length).toBeGreaterThan(before));
});

test('a deletion that is refused keeps the question open and says why', async () => {
  refuse<DeleteOnOfflineEntryData>('delete', ENTRY, { status: 409, code: 20_000, data: { message: 'locked' } });
  const { user } = await log([entry()]);
  await logged();
  await user.click(field('onoff-delete'));
  await user.click(await screen.findByTestId('onoff-confirm'));
  expect(await screen.findByText(/locked/)).toBeTruthy();
  expect(screen.getByTestId('onoff-dialog')).toBeTruthy();
});

test('an absence that lasts is not deleted, and says when it can be', async () => {
  await log([entry({ online_ms: null })]);
  await logged();
  expect(field('onoff-delete').disabled).toBe(true);
  expect(field('onoff-delete').title).toBe('Still offline; the record can be deleted once this has ended');
});

test('of a gateway shared for reading nothing is deleted; who may not is offered nothing', async () => {
  given.gateway = { access: { owner: null, role: 'visitor', writes: false } };
  const { unmount } = await log([entry()]);
  await logged();
  expect(field('onoff-delete').disabled).toBe(true);
  expect(field('onoff-delete').title).not.toBe('');
  unmount();
  await log([entry()], '', { permissions: ['Monitor.DeviceMonitor'] });
  await logged();
  expect(screen.queryByTestId('onoff-delete')).toBeNull();
});
