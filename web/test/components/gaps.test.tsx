import { screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { beforeEach, expect, test } from 'vitest';
import type {
  CollectionGap,
  GapEntry,
  ListCollectionGapsData,
  ListCollectionGapsResponse,
  ListGapsData,
  ListGapsResponse,
  SlaveCollection,
} from '@/api/generated/types.gen';
import { CollectionGapTable } from '@/features/completeness/components/CollectionGapTable';
import { TransportGapTable } from '@/features/completeness/components/TransportGapTable';
import { usePreferences } from '@/lib/preferences';
import { formatDateTime } from '@/lib/time';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const GAPS = '/api/v1/device/{device_id}/gaps';
const COLLECTION = '/api/v1/device/{device_id}/collection/gaps';
const SPAN = { start_ms: 1_700_000_000_000, end_ms: 1_700_086_400_000 };
const MINUTE_MS = 60_000;

function gap(changes: Partial<GapEntry> = {}): GapEntry {
  return {
    id: 1,
    stream: 's',
    first_seq: 11,
    last_seq: 20,
    missing: 4,
    reason: 'held',
    found_ms: SPAN.start_ms + MINUTE_MS,
    filled_ms: null,
    from_ms: SPAN.start_ms,
    to_ms: SPAN.start_ms + 2 * MINUTE_MS,
    ...changes,
  };
}

function missed(changes: Partial<CollectionGap> = {}): CollectionGap {
  return {
    id: 1,
    slave: 'boiler',
    points: [],
    from_ms: SPAN.start_ms,
    to_ms: SPAN.start_ms + MINUTE_MS,
    reason: 'no_answer',
    lent_to: null,
    missed: 12,
    ...changes,
  };
}

const slave = (name: string, title: string | null): SlaveCollection =>
  ({ slave: name, title, collection: {} }) as unknown as SlaveCollection;
const SLAVES = [slave('boiler', 'Boiler'), slave('plc', null)];

let asked: Call[];

beforeEach(() => usePreferences.setState({ pageSize: 20 }));

const rows = (name: 'gap' | 'collection-gap'): HTMLElement[] => screen.queryAllByTestId(`${name}-row`);
const last = (): Record<string, string> => Object.fromEntries(asked.at(-1)?.query ?? []);
const empty = async (): Promise<string> => (await screen.findByTestId('empty-state')).textContent;
const cell = (row: HTMLElement | undefined, at: number): string =>
  [...((row as HTMLElement).querySelectorAll('th, td') as NodeListOf<HTMLElement>)][at]?.textContent ?? '';

function transport(given: GapEntry[], known = true, total = given.length): Promise<Rendered> {
  asked = answer<ListGapsData, ListGapsResponse>('get', GAPS, { rows: given, total } as ListGapsResponse['data']);
  return show(<TransportGapTable deviceId={5} span={SPAN} known={known} />);
}

function collection(given: CollectionGap[], known = true, total = given.length): Promise<Rendered> {
  asked = answer<ListCollectionGapsData, ListCollectionGapsResponse>('get', COLLECTION, {
    rows: given,
    total,
  } as ListCollectionGapsResponse['data']);
  return show(<CollectionGapTable deviceId={5} span={SPAN} slaves={SLAVES} known={known} />);
}

async function choose({ user }: Rendered, filter: string, option: RegExp | string): Promise<void> {
  await user.click(screen.getByTestId(filter));
  await user.click(await screen.findByRole('option', { name: option, hidden: true }));
}

test('a gap of batches is told with its numbers, what is still missing, and when it was found', async () => {
  await transport([gap()]);
  await waitFor(() => expect(rows('gap')).toHaveLength(1));
  expect(last()).toEqual({
    from_ms: String(SPAN.start_ms),
    to_ms: String(SPAN.end_ms),
    page: '1',
    limit: '20',
  });
  const [row] = rows('gap');
  expect(row?.dataset.reason).toBe('held');
  expect(cell(row, 0)).toContain(
    `${formatDateTime(SPAN.start_ms)} – ${formatDateTime(SPAN.start_ms + 2 * MINUTE_MS)}batches 11–20`,
  );
  expect(cell(row, 2)).toBe('4 / 10');
  expect(cell(row, 3)).toBe(formatDateTime(SPAN.start_ms + MINUTE_MS));
});

test.each([
  ['held', 'waiting for backfill', 'The gateway still holds these batches'],
  ['evicted', 'not filled', 'its oldest batches were overwritten'],
] as const)('a gap that is %s and open says that it is %s, and why', async (reason, state, why) => {
  await transport([gap({ reason })]);
  await waitFor(() => expect(rows('gap')).toHaveLength(1));
  expect(cell(rows('gap')[0], 1)).toContain(why);
  expect(cell(rows('gap')[0], 4)).toBe(state);
});

test('a gap that was filled says when, and needs no explanation any more', async () => {
  const at = SPAN.start_ms + 9 * MINUTE_MS;
  await transport([gap({ filled_ms: at, missing: 0 })]);
  await waitFor(() => expect(rows('gap')).toHaveLength(1));
  expect(cell(rows('gap')[0], 1)).toBe('held on the gateway');
  expect(cell(rows('gap')[0], 2)).toBe('0 / 10');
  expect(cell(rows('gap')[0], 4)).toBe(formatDateTime(at));
});

test.each([
  [true, 'No gaps in this period', 'The batch numbers are continuous.'],
  [false, 'No information about this period', ''],
])('a period without gaps, of which something is known: %s', async (known, title, text) => {
  await transport([], known);
  expect(await empty()).toBe(`${title}${text}`);
  expect(screen.queryByTestId('table-clear')).toBeNull();
  expect(screen.queryByTestId('paging')).toBeNull();
});

test('gaps are filtered by reason in the cloud; that none has it does not say that there are none', async () => {
  const page = await transport([gap()]);
  await waitFor(() => expect(rows('gap')).toHaveLength(1));
  asked = answer<ListGapsData, ListGapsResponse>('get', GAPS, ({ query }) =>
    query.get('reason') === null ? { rows: [gap()], total: 1 } : { rows: [], total: 0 },
  );
  await choose(page, 'gap-filter', /^overwritten/);
  expect(await empty()).toContain('Nothing matches the filter');
  expect(last().reason).toBe('evicted');
  await page.user.click(screen.getByTestId('table-clear'));
  await waitFor(() => expect(rows('gap')).toHaveLength(1));
  expect(screen.getByTestId<HTMLInputElement>('gap-filter').value).toBe('');
});

test('further pages of gaps are asked for; another reason starts at the first one again', async () => {
  const page = await transport([gap()], true, 45);
  await page.user.click(await screen.findByLabelText('Page 3'));
  await waitFor(() => expect(last().page).toBe('3'));
  await choose(page, 'gap-filter', 'unknown');
  await waitFor(() => expect(last()).toMatchObject({ reason: 'unknown', page: '1' }));
});

test('another end of the period starts at the first page again', async () => {
  asked = answer<ListGapsData, ListGapsResponse>('get', GAPS, { rows: [gap()], total: 45 });
  function Longer(): ReactElement {
    const [days, setDays] = useState(1);
    return (
      <>
        <button type="button" onClick={() => setDays(2)}>
          longer
        </button>
        <TransportGapTable deviceId={5} span={{ ...SPAN, end_ms: SPAN.start_ms + days * 86_400_000 }} known />
      </>
    );
  }
  const { user } = await show(<Longer />);
  await user.click(await screen.findByLabelText('Page 2'));
  await waitFor(() => expect(last().page).toBe('2'));
  await user.click(screen.getByRole('button', { name: 'longer' }));
  await waitFor(() => expect(last()).toMatchObject({ to_ms: String(SPAN.start_ms + 2 * 86_400_000), page: '1' }));
});

test('gaps that cannot be read say why and are asked for again', async () => {
  refuse<ListGapsData>('get', GAPS, { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user } = await show(<TransportGapTable deviceId={5} span={SPAN} known />);
  const trouble = await screen.findByTestId('error-state');
  expect(trouble.textContent).toContain('disk full');
  answer<ListGapsData, ListGapsResponse>('get', GAPS, { rows: [gap()], total: 1 });
  await user.click(within(trouble).getByRole('button'));
  await waitFor(() => expect(rows('gap')).toHaveLength(1));
});

test('missed reads are told with slave, points and number; of the gateway as a whole it is said', async () => {
  await collection([
    missed({ points: ['p', 'q'] }),
    missed({ id: 2, slave: null, reason: 'port_lent', lent_to: 'Li', missed: 0 }),
  ]);
  await waitFor(() => expect(rows('collection-gap')).toHaveLength(2));
  const [of, whole] = rows('collection-gap');
  expect(cell(of, 1)).toBe('boilerp, q');
  expect(cell(of, 3)).toBe('12');
  expect(cell(whole, 1)).toBe('Entire gateway');
  expect(cell(whole, 2)).toContain('Li');
  expect(cell(whole, 3)).toBe('–');
});

test.each([
  [1, 5],
  [30, 30],
])('around a gap of %i min the history shows %i min on both sides', async (long, around) => {
  const { user, went } = await collection([missed({ to_ms: SPAN.start_ms + long * MINUTE_MS })]);
  await user.click(await screen.findByRole('link', { name: 'View surrounding history' }));
  const [path, query] = went().split('?');
  expect(path).toBe('/deviceDetail/index');
  expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
    device_id: '5',
    tab: 'history',
    start: String(SPAN.start_ms - around * MINUTE_MS),
    end: String(SPAN.start_ms + (long + around) * MINUTE_MS),
  });
});

test('missed reads are filtered by slave and reason together, and both filters are taken away at once', async () => {
  const page = await collection([missed()]);
  await waitFor(() => expect(rows('collection-gap')).toHaveLength(1));
  asked = answer<ListCollectionGapsData, ListCollectionGapsResponse>('get', COLLECTION, ({ query }) =>
    query.get('reason') === null ? { rows: [missed()], total: 1 } : { rows: [], total: 0 },
  );
  await choose(page, 'collection-gap-slave', 'plc');
  await waitFor(() => expect(last().slave).toBe('plc'));
  await choose(page, 'collection-gap-filter', 'no response');
  await waitFor(() => expect(last()).toMatchObject({ slave: 'plc', reason: 'no_answer', page: '1' }));
  expect(await empty()).toContain('Nothing matches the filter');
  await page.user.click(screen.getByTestId('table-clear'));
  await waitFor(() => expect(rows('collection-gap')).toHaveLength(1));
  expect(screen.getByTestId<HTMLInputElement>('collection-gap-slave').value).toBe('');
  expect(screen.getByTestId<HTMLInputElement>('collection-gap-filter').value).toBe('');
});

test.each([
  [true, 'No collection gaps in this period'],
  [false, 'No information about this period'],
])('a period without missed reads, of which something was reported: %s', async (known, title) => {
  await collection([], known);
  expect(await empty()).toContain(title);
});

test('a filter chooses among the titles of the slaves, the name where there is none', async () => {
  const page = await collection([missed()]);
  await page.user.click(await screen.findByTestId('collection-gap-slave'));
  const list = await screen.findAllByRole('option', { hidden: true });
  expect(list.map(({ textContent }) => textContent)).toEqual(expect.arrayContaining(['Boiler', 'plc']));
  await page.user.click(list.find(({ textContent }) => textContent === 'Boiler') as HTMLElement);
  await waitFor(() => expect(last().slave).toBe('boiler'));
});
