import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { GatewayCompleteness, ListCompletenessData, ListCompletenessResponse } from '@/api/generated/types.gen';
import CompletenessList from '@/features/completeness/screens/CompletenessList';
import { cellsOf } from './cells';
import { AT, collected, COUNTS, END, MAY, NO_BATCH, NOON, START, UNKNOWN } from './completeness-fixtures';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';

const ALL = '/api/v1/completeness';

function gateway(changes: Partial<GatewayCompleteness> = {}): GatewayCompleteness {
  return { ...COUNTS, collection: collected(), device_id: 7, device_title: 'Mill', gateway_id: 'gw-7', ...changes };
}

function serveAll(rows: readonly GatewayCompleteness[], total = rows.length): Call[] {
  return answer<ListCompletenessData, ListCompletenessResponse>('get', ALL, { rows: [...rows], total });
}

test('the list tells both figures of each gateway, cut and never rounded, and why one is missing', async () => {
  serveAll([
    gateway({
      percent: 99.9996,
      missing: 2,
      reasons: { held: 2 },
      dropped_samples: 5,
      collection: collected({
        good: 1,
        expected: 301,
        missed: 300,
        percent: 33.333,
        reasons: { no_answer: 20, not_running: 250, switching: 30 },
      }),
    }),
    gateway({ device_id: 8, device_title: 'Oven', gateway_id: 'gw-8', ...NO_BATCH, collection: UNKNOWN }),
    gateway({ device_id: 9, device_title: 'Pump', gateway_id: 'gw-9' }),
  ]);
  await show(<CompletenessList />, { permissions: MAY, at: AT });
  const [mill, oven, pump] = (await screen.findAllByTestId('completeness-row')).map(cellsOf);
  expect(mill).toEqual([
    'Millgw-7',
    '33.333 %',
    '99.999 %',
    '300',
    '240',
    '2',
    '5',
    'held on the gateway 2, gateway program not running 250',
  ]);
  expect(screen.getByTitle(/no response 20, gateway program not running 250, switching configuration 30/)).toBeTruthy();
  expect(oven?.[1]).toContain('has never reported its reads');
  expect(oven?.[2]).toBe('No data due');
  expect(oven?.join()).not.toContain('%');
  expect(pump?.slice(1, 3)).toEqual(['100 %', '100 %']);
  expect(pump?.at(-1)).toBe('–');
});

test('the worst collection comes first; another order is asked for in the cloud, from the first page', async () => {
  const calls = serveAll([gateway()], 90);
  const { user } = await show(<CompletenessList />, { permissions: MAY, at: `${AT}&page=2` });
  await screen.findByTestId('completeness-row');
  expect(Object.fromEntries(calls[0]?.query ?? [])).toMatchObject({
    from_ms: String(START),
    to_ms: String(END),
    page: '2',
    sort: 'collection',
  });
  await user.click(screen.getByTestId('sort'));
  await user.click(await screen.findByRole('option', { name: 'Most missing first', hidden: true }));
  await waitFor(() => expect(calls.at(-1)?.query.get('sort')).toBe('-missing'));
  expect(calls.at(-1)?.query.get('page')).toBe('1');
});

test('an order of the address that the cloud does not know is not sent', async () => {
  const calls = serveAll([gateway()]);
  await show(<CompletenessList />, { permissions: MAY, at: `${AT}&sort=gateway_id` });
  await screen.findByTestId('completeness-row');
  expect(calls[0]?.query.get('sort')).toBe('collection');
});

test('a gateway of the list leads to its completeness over the same period', async () => {
  serveAll([gateway()]);
  const { user, went } = await show(<CompletenessList />, { permissions: MAY, at: `/?start=${START}&end=${NOON}` });
  await user.click(await screen.findByRole('link', { name: 'Mill' }));
  expect(went()).toBe(`/deviceDetail/index?device_id=7&tab=completeness&start=${START}&end=${NOON}`);
});

test('a list without gateways says so, one that cannot be read does not', async () => {
  serveAll([]);
  const { unmount } = await show(<CompletenessList />, { permissions: MAY, at: AT });
  expect((await screen.findByTestId('empty-state')).textContent).toContain('No gateways yet');
  unmount();
  refuse<ListCompletenessData>('get', ALL, { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user } = await show(<CompletenessList />, { permissions: MAY, at: '/?range=pastHour' });
  expect((await screen.findByTestId('error-state')).textContent).toContain('disk full');
  expect(screen.queryByTestId('empty-state')).toBeNull();
  serveAll([gateway()]);
  await user.click(screen.getByRole('button', { name: /again|retry/i }));
  expect(await screen.findByTestId('completeness-row')).toBeTruthy();
});
