import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import type {
  DayStatistics,
  DeviceStatistics,
  GetStatisticalReportData,
  GetStatisticalReportResponse,
  Totals,
} from '@/api/generated/types.gen';
import StatisticalReport from '@/features/statistics/screens/StatisticalReport';
import { cellsOf } from './cells';
import { offeredFiles } from './files';
import { answer, network, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const URL_OF = '/api/v1/device/eventStatReport';
const MAY = ['StatisticalReport', 'Monitor.DeviceMonitor'];
const SPAN = { start: 1_700_000_000_000, end: 1_700_259_200_000 };
const AT = `/?start=${SPAN.start}&end=${SPAN.end}`;

function totals(changes: Partial<Totals> = {}): Totals {
  return {
    devices: 3,
    alarms: 41,
    unhandled: 7,
    offline_count: 5,
    offline_ms: 93_600_000,
    available: 0.99996,
    available_of: 3,
    never_connected: 0,
    ...changes,
  };
}

function row(changes: Partial<DeviceStatistics> = {}): DeviceStatistics {
  return {
    device_id: 1,
    device_title: 'Boiler house',
    gateway_id: 'gw-1',
    alarms: 40,
    danger: 31,
    warning: 6,
    other: 3,
    unhandled: 8,
    handled: 22,
    false_alarms: 10,
    offline_count: 4,
    offline_ms: 61_000,
    available: 0.99996,
    never_connected: false,
    ...changes,
  };
}

const DAYS: DayStatistics[] = [
  { day: '2023-11-14', alarms: 0, offline: 2 },
  { day: '2023-11-15', alarms: 20, offline: 0 },
  { day: '2023-11-16', alarms: 5, offline: 1 },
];

let calls: Call[];

function serve(rows: readonly DeviceStatistics[], changes: Partial<Totals> = {}, days = DAYS): void {
  calls = answer<GetStatisticalReportData, GetStatisticalReportResponse>('get', URL_OF, {
    rows: [...rows],
    total: rows.length,
    totals: totals(changes),
    days,
  });
}

beforeEach(() => serve([row()]));

async function report(at = AT, permissions: readonly string[] = MAY): Promise<Rendered> {
  const page = await show(<StatisticalReport />, { permissions, at });
  await screen.findByTestId('statistics-overview');
  return page;
}

const overview = () => within(screen.getByTestId('statistics-overview'));
/** What stands below a name in the overview. */
const fact = (name: string): string => overview().getByText(name, { selector: 'dt' }).nextSibling?.textContent ?? '';
const line = async (): Promise<HTMLElement> => screen.findByTestId('statistics-row');
const asksFor = (limit: string): Call[] => calls.filter(({ query }) => query.get('limit') === limit);
const bars = (name: string): HTMLElement => screen.getByRole('slider', { name });
const heights = (name: string): string[] =>
  [...bars(name).querySelectorAll<HTMLElement>('[data-none]')].map(({ style }) => style.height);

test('the totals are the cloud’s, and availability below 100 % is not rounded up to it', async () => {
  await report();
  await waitFor(() => expect(fact('Devices')).toBe('3'));
  expect(fact('Alarms')).toBe('41');
  expect(fact('Unhandled')).toBe('7');
  expect(fact('Offline count')).toBe('5');
  expect(fact('Total time offline')).toBe('1 d 2 h');
  expect(fact('Average availability')).toBe('99.99 %');
});

test('100 % is said of an availability that is whole', async () => {
  serve([row({ available: 1 })], { available: 1 });
  await report();
  await waitFor(() => expect(fact('Average availability')).toBe('100.00 %'));
  expect(cellsOf(await line())).toContain('100.00 %');
});

test('while the totals are not known no figure stands in their place, not even a zero', async () => {
  let open: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  network.use(
    http.get(`*${URL_OF}`, async () => {
      await held;
      return HttpResponse.json({ code: 0, msg: '', data: { rows: [], total: 0, totals: totals(), days: DAYS } });
    }),
  );
  await report();
  for (const name of ['Devices', 'Alarms', 'Unhandled', 'Offline count', 'Total time offline', 'Average availability'])
    expect(fact(name)).toBe('-');
  open();
  await waitFor(() => expect(fact('Alarms')).toBe('41'));
});

test('an availability that nobody knows is neither 0 % nor 100 %', async () => {
  serve([row({ never_connected: true, available: null, offline_count: 0, offline_ms: 0 })], {
    devices: 1,
    available: null,
    available_of: 0,
    never_connected: 1,
  });
  await report();
  await waitFor(() => expect(fact('Devices')).toBe('1'));
  expect(fact('Average availability')).toMatch(/^-average of 0 of 1; never connected, not included: 1$/);
  const told = cellsOf(await line());
  expect(told.at(-1)).toBe('Never connected');
  expect(told.filter((text) => text === '–')).toHaveLength(2);
  expect(told.join()).not.toContain('%');
});

test.each([
  [{ devices: 3, available_of: 3, never_connected: 0 }, null],
  [{ devices: 3, available_of: 2, never_connected: 0 }, 'average of 2 of 3'],
  [{ devices: 9, available_of: 7, never_connected: 2 }, 'average of 7 of 9; never connected, not included: 2'],
])('a mean of part of the gateways says of how many it is: %o', async (changes, words) => {
  serve([row()], changes);
  await report();
  await waitFor(() => expect(fact('Devices')).toBe(String(changes.devices)));
  expect(screen.queryByTestId('mean-note')?.textContent ?? null).toBe(words);
});

test('a gateway’s row has its counts, its time offline in two units and the way to its alarms', async () => {
  const { user, went } = await report();
  const told = cellsOf(await line());
  expect(told).toEqual(['Boiler house', 'gw-1', '40', '8', '22', '10', '4', '1 min 1 s', '99.99 %']);
  await user.click(screen.getByRole('link', { name: 'Boiler house' }));
  expect(went()).toBe('/deviceDetail/index?device_id=1&tab=alarm');
});

test('a gateway without a title is named by its number; without the permission it leads nowhere', async () => {
  serve([row({ device_title: '' })]);
  await report(AT, ['StatisticalReport']);
  expect(cellsOf(await line()).slice(0, 2)).toEqual(['gw-1', 'gw-1']);
  expect(screen.queryByRole('link', { name: 'gw-1' })).toBeNull();
});

test('the period, the words and the order go to the cloud; the overview asks for the same without an order', async () => {
  await report(`${AT}&search=boil`);
  await line();
  await waitFor(() => expect(asksFor('1')).toHaveLength(1));
  const [list, whole] = [calls.find(({ query }) => query.get('limit') !== '1'), asksFor('1')[0]];
  for (const each of [list, whole]) {
    expect(each?.query.get('starttime')).toBe(String(SPAN.start));
    expect(each?.query.get('endtime')).toBe(String(SPAN.end));
    expect(each?.query.get('search')).toBe('boil');
    expect(each?.query.get('offset_min')).toBe(String(0 - new Date(SPAN.end).getTimezoneOffset()));
  }
  expect(list?.query.get('sort')).toBe('-alarms');
  expect(whole?.query.has('sort')).toBe(false);
});

test('a click on a head orders the rows in the cloud, and asks for the totals no more', async () => {
  const { user } = await report();
  await line();
  const head = screen.getByRole('columnheader', { name: /Time offline/ });
  await user.click(within(head).getByRole('button', { name: /Time offline/ }));
  await waitFor(() => expect(calls.at(-1)?.query.get('sort')).toMatch(/^-?offline_ms$/));
  expect(asksFor('1')).toHaveLength(1);
});

test('words of the search narrow the rows and the totals alike', async () => {
  const { user } = await report();
  await line();
  await user.type(screen.getByTestId('filter-search'), 'mill');
  await waitFor(() => expect(asksFor('1').at(-1)?.query.get('search')).toBe('mill'));
  await waitFor(() =>
    expect(calls.findLast(({ query }) => query.get('limit') !== '1')?.query.get('search')).toBe('mill'),
  );
});

test('while another period loads the totals and the rows are marked as those of the one before', async () => {
  const { user } = await report();
  await line();
  await waitFor(() => expect(fact('Alarms')).toBe('41'));
  expect(document.querySelectorAll('[data-old]')).toHaveLength(0);
  let open: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  network.use(
    http.get(`*${URL_OF}`, async () => {
      await held;
      const data = { rows: [row({ alarms: 2 })], total: 1, totals: totals({ alarms: 2 }), days: DAYS };
      return HttpResponse.json({ code: 0, msg: '', data });
    }),
  );
  await user.click(await screen.findByTestId('range-picker'));
  await user.click(await screen.findByTestId('range-past30Days'));
  await waitFor(() => expect(document.querySelectorAll('[data-old]')).toHaveLength(2));
  for (const shown of [await line(), overview().getByText('41')]) {
    const region = shown.closest<HTMLElement>('[data-old]');
    expect(region?.getAttribute('aria-busy')).toBe('true');
    expect(within(region as HTMLElement).getByRole('status').textContent).toContain('still showing the previous data');
  }
  open();
  await waitFor(() => expect(fact('Alarms')).toBe('2'));
  await waitFor(() => expect(document.querySelectorAll('[data-old]')).toHaveLength(0));
});

test('no gateway matches: the table says so, and the totals are zeros, not gaps', async () => {
  serve([], { devices: 0, alarms: 0, unhandled: 0, offline_count: 0, offline_ms: 0, available: null, available_of: 0 });
  await report();
  expect((await screen.findByTestId('empty-state')).textContent).toContain('No devices match');
  await waitFor(() => expect(fact('Alarms')).toBe('0'));
  expect(fact('Total time offline')).toBe('0 s');
  expect(fact('Average availability')).toBe('-');
  expect(screen.queryByTestId('mean-note')).toBeNull();
});

test('a report that cannot be read says why in both places, and both can be asked for again', async () => {
  refuse<GetStatisticalReportData>('get', URL_OF, { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user } = await show(<StatisticalReport />, { permissions: MAY, at: AT });
  await waitFor(() => expect(screen.getAllByTestId('error-state')).toHaveLength(2));
  for (const each of screen.getAllByTestId('error-state')) expect(each.textContent).toContain('disk full');
  expect(screen.queryByTestId('statistics-overview')).toBeNull();
  serve([row()]);
  for (const button of screen.getAllByRole('button', { name: /again|retry/i })) await user.click(button);
  await waitFor(() => expect(fact('Alarms')).toBe('41'));
  expect(await line()).toBeTruthy();
  expect(screen.queryByTestId('error-state')).toBeNull();
});

test('the bars of a day are as high as its share of the highest day', async () => {
  await report();
  await waitFor(() => expect(heights('Alarms per day')).toEqual(['0%', '100%', '25%']));
  expect(heights('Offline count per day')).toEqual(['100%', '0%', '50%']);
});

test('the newest day is told at first; keys walk over the days and stay within them', async () => {
  const { user } = await report();
  await waitFor(() => expect(bars('Alarms per day').getAttribute('aria-valuetext')).toBe('2023-11-16: 5'));
  expect(bars('Alarms per day').getAttribute('aria-valuemax')).toBe('2');
  await user.click(bars('Alarms per day'));
  bars('Alarms per day').focus();
  await user.keyboard('{ArrowLeft}');
  expect(bars('Alarms per day').getAttribute('aria-valuetext')).toBe('2023-11-15: 20');
  await user.keyboard('{Home}{ArrowLeft}');
  expect(bars('Alarms per day').getAttribute('aria-valuetext')).toBe('2023-11-14: 0');
  expect(bars('Alarms per day').getAttribute('aria-valuenow')).toBe('0');
  await user.keyboard('{PageDown}');
  expect(bars('Alarms per day').getAttribute('aria-valuenow')).toBe('2');
  expect(bars('Offline count per day').getAttribute('aria-valuetext')).toBe('2023-11-16: 1');
});

test('the day under the pointer is told in words', async () => {
  await report();
  await waitFor(() => expect(heights('Alarms per day')).toHaveLength(3));
  const slots = bars('Alarms per day').querySelectorAll('[data-chosen]');
  fireEvent.pointerEnter(slots[1] as Element);
  expect(bars('Alarms per day').closest('figure')?.textContent).toContain('2023-11-15: 20');
  expect([...slots].map((slot) => slot.getAttribute('data-chosen'))).toEqual(['false', 'true', 'false']);
});

test('a period without days draws no bar and tells no day', async () => {
  serve([row()], {}, []);
  await report();
  await waitFor(() => expect(fact('Alarms')).toBe('41'));
  expect(heights('Alarms per day')).toEqual([]);
  expect(bars('Alarms per day').getAttribute('aria-valuetext')).toBe('');
  expect(bars('Alarms per day').getAttribute('aria-valuenow')).toBe('0');
});

function exportable(): Call[] {
  const asked: Call[] = [];
  network.use(
    http.get('*/api/v1/device/exportStatReport', ({ request }) => {
      asked.push({ query: new URL(request.url).searchParams, body: null });
      return new HttpResponse('PK', { headers: { 'Content-Type': 'application/vnd.ms-excel' } });
    }),
  );
  return asked;
}

test.each(['en', 'zh'] as const)(
  'the file is of the same period, words and order, in the language (%s)',
  async (language) => {
    const asked = exportable();
    const files = offeredFiles();
    const { user } = await show(<StatisticalReport />, { permissions: MAY, at: `${AT}&search=boil`, language });
    await line();
    await user.click(screen.getByTestId('table-more'));
    await user.click(await screen.findByTestId('table-export'));
    await waitFor(() => expect(files.map(({ name }) => name)).toEqual(['statistics.xlsx']));
    expect(Object.fromEntries(asked[0]?.query ?? [])).toMatchObject({
      starttime: String(SPAN.start),
      endtime: String(SPAN.end),
      search: 'boil',
      sort: '-alarms',
      language,
    });
  },
);

test('a file that the cloud refuses is told of, and none is saved', async () => {
  network.use(
    http.get('*/api/v1/device/exportStatReport', () =>
      HttpResponse.json({ code: 20_000, msg: '', data: { message: 'too many rows' } }, { status: 409 }),
    ),
  );
  const files = offeredFiles();
  const { user } = await report();
  await line();
  await user.click(screen.getByTestId('table-more'));
  await user.click(await screen.findByTestId('table-export'));
  expect(await screen.findByText(/too many rows/)).toBeTruthy();
  expect(files).toEqual([]);
});
