import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type {
  AddSimCardRangeData,
  AddSimCardRangeResponse,
  BindSimCardData,
  BindSimCardResponse,
  CreateSimCardData,
  CreateSimCardResponse,
  DeleteSimCardData,
  DeleteSimCardResponse,
  GetSimCardData,
  GetSimCardResponse,
  GetSimCardUsageData,
  GetSimCardUsageResponse,
  ImportSimCardsData,
  ListSimCardsData,
  ListSimCardsResponse,
  PreviewSimCardRangeData,
  PreviewSimCardRangeResponse,
} from '@/api/generated/types.gen';
import { ForecastText } from '@/features/sim-cards/components/ForecastText';
import type { CardDetail, CardRow, Forecast } from '@/features/sim-cards/api';
import SimCards from '@/features/sim-cards/screens/SimCards';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';
import { CARD, DETAIL } from './sim-fixtures';

const MAY = ['OtaManager', 'ota.Sim', 'Monitor.DeviceMonitor'];
const ONE = '/api/v1/sim-card/{sim_card_id}';

async function cards(rows: CardRow[], search = ''): Promise<Rendered & { asked: Call[] }> {
  const asked = answer<ListSimCardsData, ListSimCardsResponse>('get', '/api/v1/sim-card', { rows, total: rows.length });
  const page = await show(<SimCards />, { permissions: MAY, flags: { ot: 1 }, at: `/ota/sim${search}` });
  await waitFor(() => expect(screen.queryAllByTestId('sim-cards-row')).toHaveLength(rows.length));
  return { ...page, asked };
}

function detail(of: CardDetail): void {
  answer<GetSimCardData, GetSimCardResponse>('get', ONE as GetSimCardData['url'], of);
  answer<GetSimCardUsageData, GetSimCardUsageResponse>('get', `${ONE}/usage` as GetSimCardUsageData['url'], {
    days: [],
  });
}

test('an empty list says how cards come', async () => {
  await cards([]);
  expect(await screen.findByText('No SIM cards yet')).toBeDefined();
});

test('a row has gateway, usage of the plan, and how long it lasts', async () => {
  await cards([CARD, { ...CARD, id: 8, iccid: '89860012345678905678', moved_ms: 1, gateway: null, suspect: true }]);
  expect(screen.getAllByText('Pump').length).toBeGreaterThan(0);
  expect(screen.getAllByText('3 GB / 30 GB').length).toBeGreaterThan(0);
  expect(screen.getAllByText('2026-03-20 to after the period').length).toBeGreaterThan(0);
  expect(screen.getAllByText('A gateway that you cannot see').length).toBeGreaterThan(0);
  expect(screen.getAllByText('In another gateway').length).toBeGreaterThan(0);
  expect(screen.getAllByText(/Unusual check digit/).length).toBeGreaterThan(0);
});

test('filters of the address are asked for', async () => {
  const { asked } = await cards([], '?search=a&operator=ctcc&status=test&expires=30&place=moved&sort=expires_on');
  await waitFor(() => expect(asked).not.toEqual([]));
  const { query } = asked[0]!;
  expect(['search', 'operator', 'status', 'expires_within', 'moved'].map((name) => query.get(name))).toEqual([
    'a',
    'ctcc',
    'test',
    '30',
    'true',
  ]);
});

test('a card is added, and a refusal stands at its field', async () => {
  const { user } = await cards([]);
  refuse<CreateSimCardData>('post', '/api/v1/sim-card', {
    status: 409,
    code: 20_000,
    data: { field: 'iccid', rule: 'must be new', reason: 'sim_card.taken' },
  });
  await user.click(screen.getByTestId('sim-cards-create'));
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Required')).toBeDefined();
  await user.click(screen.getByTestId('sim-iccid'));
  await user.paste('8986 0012 3456 7890 1234');
  await user.click(screen.getByTestId('sim-plan'));
  await user.paste('1024');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('There is a card with this ICCID already')).toBeDefined();
  const made = answer<CreateSimCardData, CreateSimCardResponse>('post', '/api/v1/sim-card', CARD);
  const again = screen.getByRole<HTMLButtonElement>('button', { name: 'Save' });
  await waitFor(() => expect(again.disabled).toBe(false));
  await user.click(again);
  await waitFor(() => expect(made).toHaveLength(1));
  expect(made[0]?.body).toMatchObject({ iccid: CARD.iccid, plan_bytes: 1_073_741_824, balance_fen: null });
});

test('an unusual check digit is saved once somebody confirms that the card has it', async () => {
  const { user } = await cards([]);
  const made = answer<CreateSimCardData, CreateSimCardResponse>('post', '/api/v1/sim-card', CARD);
  await user.click(screen.getByTestId('sim-cards-create'));
  await user.click(await screen.findByTestId('sim-iccid'));
  await user.paste('8986001234567890125');
  expect((await screen.findByTestId('sim-check-digit')).textContent).toContain(
    'would be 0 by ITU-T E.118, the number ends with 5',
  );
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/Check digit 0 expected/)).toBeDefined();
  expect(made).toHaveLength(0);
  await user.click(screen.getByTestId('sim-digit-checked'));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(made).toHaveLength(1));
  expect(made[0]?.body).toMatchObject({ iccid: '8986001234567890125' });
  expect(made[0]?.body).not.toHaveProperty('checked_iccid');
});

test('deleting says what goes and what stays', async () => {
  const { user } = await cards([CARD]);
  const gone = answer<DeleteSimCardData, DeleteSimCardResponse>('delete', ONE as DeleteSimCardData['url'], null);
  await user.click(screen.getByTestId('row-remove'));
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain('records are deleted with it. Gateway Pump stays as it is.');
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(gone).toHaveLength(1));
});

test('the address opens a card; billed stands beside counted', async () => {
  detail(DETAIL);
  await cards([CARD], '?card=7');
  const drawer = await screen.findByRole('dialog', { name: `SIM card ${CARD.iccid}` });
  const fact = async (name: string): Promise<string | null | undefined> =>
    (await waitFor(() => drawer.querySelector(`[data-fact="${name}"] dd`)))?.textContent;
  expect(await fact('billed')).toBe('3 GB (2026-03-05)');
  expect(await fact('counted')).toBe('2 GB');
  expect(await fact('difference')).toBe('1 GB');
  expect(await fact('signal')).toBe('17 / 31');
  expect(within(drawer).getByTestId('sim-forecast-text').textContent).toContain('Mean of 9 days as counted');
  expect(await within(drawer).findByText(/No usage in the last 60 days/)).toBeDefined();
});

test('a card that nobody can forecast says why; one that is gone says so', async () => {
  const forecast: Forecast = { reason: 'no_plan' };
  detail({ ...DETAIL, card: { ...CARD, forecast }, comparison: { reason: 'no_billing' }, modem: null });
  await cards([CARD], '?card=7');
  expect((await screen.findByTestId('sim-forecast-text')).textContent).toContain('the data of the plan is not entered');
  expect(screen.getByText(/no record of the operator in this billing period/)).toBeDefined();
});

test.each([
  [null, 'No difference: no gateway has counted the data of this card.'],
  ['2026-03-03', /First counted day: 2026-03-03/],
])('no difference of a card counted from %s says why', async (counted_from, text) => {
  detail({ ...DETAIL, comparison: { reason: 'partial', counted_from } });
  await cards([CARD], '?card=7');
  expect(await screen.findByText(text)).toBeDefined();
});

test('a card that is not there is an error with a way to try again', async () => {
  refuse<GetSimCardData>('get', ONE as GetSimCardData['url'], {
    status: 404,
    code: 20_000,
    data: { reason: 'not_found.sim_card', message: 'SIM card not found' },
  });
  await cards([], '?card=9');
  expect(await screen.findByText('No such SIM card')).toBeDefined();
});

test('a moved card is bound to the gateway that it is in', async () => {
  const seen = { id: 4, title: 'Mill', gateway_id: 'gw-4', online: true };
  detail({ ...DETAIL, card: { ...CARD, moved_ms: 1_790_000_000_000, seen } });
  const bound = answer<BindSimCardData, BindSimCardResponse>('put', `${ONE}/device` as BindSimCardData['url'], CARD);
  const { user } = await cards([CARD], '?card=7');
  expect((await screen.findByTestId('sim-moved')).textContent).toContain('It is in Mill now.');
  await user.click(screen.getByTestId('sim-bind-seen'));
  await waitFor(() => expect(bound[0]?.body).toEqual({ device_id: 4 }));
});

test('a range is previewed, and other numbers take the preview away', async () => {
  const { user } = await cards([]);
  answer<PreviewSimCardRangeData, PreviewSimCardRangeResponse>('post', '/api/v1/sim-card/range/preview', {
    first: '8986001234567890098',
    last: '8986001234567890101',
    count: 4,
    new: 3,
    existing: 1,
    existing_iccids: ['8986001234567890099'],
    suspect: 2,
  });
  await user.click(screen.getByTestId('sim-range'));
  await user.click(await screen.findByTestId('range-prefix'));
  await user.paste('898600123456789');
  await user.click(screen.getByTestId('range-first'));
  await user.paste('0098');
  expect((screen.getByTestId('range-preview') as HTMLButtonElement).disabled).toBe(true);
  await user.click(screen.getByTestId('range-last'));
  await user.paste('0101');
  await user.click(screen.getByTestId('range-preview'));
  const said = await screen.findByTestId('range-said');
  expect(said.textContent).toContain('Cards: 4, new: 3, already there: 1');
  expect(said.textContent).toContain('8986001234567890099');
  await user.type(screen.getByTestId('range-last'), '{Backspace}2');
  expect(screen.queryByTestId('range-said')).toBeNull();
  const added = answer<AddSimCardRangeData, AddSimCardRangeResponse>('post', '/api/v1/sim-card/range', {
    added: 4,
    existing: 1,
  });
  await user.click(screen.getByRole('button', { name: 'Add these cards' }));
  await waitFor(() => expect(added).toHaveLength(1));
  expect(added[0]?.body).toMatchObject({ prefix: '898600123456789', first: '0098', last: '0102' });
});

test('an import is offered with a way to begin, and nothing to do before a file', async () => {
  const { user } = await cards([]);
  refuse<ImportSimCardsData>('post', '/api/v1/sim-card/import', { status: 500 });
  await user.click(screen.getByTestId('sim-import'));
  expect(((await screen.findByTestId('sim-import-do')) as HTMLButtonElement).disabled).toBe(true);
});

test.each<[Forecast, string]>([
  [{ reason: 'few_days' }, 'Too few days'],
  [{ reason: '', earliest: null, expected: null, latest: null }, 'Lasts for the period'],
  [{ reason: '', earliest: '2026-03-29', expected: null, latest: null }, 'Probably lasts'],
  [{ reason: '', earliest: '2026-03-20', expected: '2026-03-25', latest: '2026-03-30' }, '2026-03-20 to 2026-03-30'],
  [{ reason: '', earliest: '2026-03-25', expected: '2026-03-25', latest: '2026-03-25' }, '2026-03-25'],
])('a forecast %o says %s', async (forecast, text) => {
  const { container } = await show(<ForecastText forecast={forecast} />);
  expect(container.textContent).toContain(text);
});
