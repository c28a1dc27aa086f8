import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  GetDeviceData,
  GetDeviceResponse,
  GetLastValuesData,
  ListDataSourcesData,
  ListDataSourcesResponse,
  ListPositionsData,
  ListProductsData,
  ListProductsResponse,
  ListProjectsData,
  ListProjectsResponse,
} from '@/api/generated/types.gen';
import DeviceMap from '@/features/map/screens/DeviceMap';
import { bus } from '@/lib/live';
import { serverNow } from '@/lib/serverClock';
import { device, source } from './fixtures';
import { connectLive } from './live';
import {
  ALL,
  answerMap,
  calls,
  LAST,
  MAY,
  MILL,
  MILL_ONLY,
  OVEN,
  POSITIONS,
  serve,
  serveLast,
  serveSources,
  SOURCES,
} from './map-fixtures';
import { answer, refuse } from './network';
import { show } from './render';
import type { Rendered } from './render';

beforeEach(answerMap);

async function map(at = '/', permissions: readonly string[] = MAY): Promise<Rendered> {
  const page = await show(<DeviceMap />, { permissions, at });
  await screen.findByTestId('map-listed');
  return page;
}

const listed = (): string => screen.getByTestId('map-listed').textContent;
const rows = (): string[] => screen.queryAllByTestId('place-row').map(({ textContent }) => textContent);
const row = (title: string): HTMLElement =>
  screen.getAllByTestId('place-row').find(({ textContent }) => textContent.startsWith(title)) as HTMLElement;
const address = (): Record<string, string> => Object.fromEntries(new URLSearchParams(window.location.search));
const card = (): HTMLElement => screen.getByTestId('device-card');

test('the list has every device of the map, the worst first and by number in the title', async () => {
  await map();
  await waitFor(() => expect(rows()).toHaveLength(5));
  expect(rows()).toEqual(['OvenAlarm', 'Pump 2Offline', 'Pump 10Offline', 'MillOnline', 'YardNever connected']);
  expect(listed()).toBe('5 in view, 5 in total');
  expect(screen.queryByTestId('map-placeless')).toBeNull();
});

test('on the map each device is a dot with its state and its title', async () => {
  await map();
  await waitFor(() => expect(screen.getAllByTestId('map-dot')).toHaveLength(5));
  const oven = screen.getByRole('button', { name: 'Oven' });
  expect(oven.dataset.status).toBe('alarm');
  expect(oven.textContent).toBe('!');
});

test('devices without a place are counted, with the way to give them one', async () => {
  serve(ALL, { placeless: 2 });
  const { user, went } = await map();
  await user.click(within(screen.getByTestId('map-placeless')).getByRole('link'));
  expect(went()).toBe('/monitor/deviceLocation?placed=no');
});

test('who may not set places is told of devices without one, and led nowhere', async () => {
  serve(ALL, { placeless: 1 });
  await map('/', ['Monitor.DeviceMap']);
  expect(screen.getByTestId('map-placeless').textContent).toBe('1 more device has no location');
  expect(within(screen.getByTestId('map-placeless')).queryByRole('link')).toBeNull();
});

test('of more devices than a map takes the list says that it is cut', async () => {
  serve(ALL, { total: 30_000 });
  await map();
  expect(listed()).toContain('30000 in total');
  expect(listed()).toContain('Only the first 5 are shown');
});

test('no device has a place, or none matches: the words say which', async () => {
  serve([]);
  const { unmount } = await map();
  expect(screen.getByTestId('empty-state').textContent).toContain('No device has a location yet');
  unmount();
  await map('/?status=alarm');
  expect(screen.getByTestId('empty-state').textContent).toContain('No devices match the filter');
});

test('places that cannot be read are not called none, and are asked for again', async () => {
  refuse<ListPositionsData>('get', POSITIONS, { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user } = await show(<DeviceMap />, { permissions: MAY });
  expect((await screen.findByTestId('error-state')).textContent).toContain('disk full');
  expect(screen.queryByTestId('empty-state')).toBeNull();
  serve(ALL);
  await user.click(screen.getByRole('button', { name: /again|retry/i }));
  await waitFor(() => expect(rows()).toHaveLength(5));
});

test('filters of the address go to the cloud; what is no filter does not', async () => {
  await map('/?status=offline&search=pump&project=7&product=x');
  expect(Object.fromEntries(calls[0]?.query ?? [])).toEqual({ status: 'offline', search: 'pump', project_id: '7' });
});

test('a state that is chosen narrows the map and stands in the address', async () => {
  const { user } = await map();
  await user.click(within(screen.getByTestId('map-status')).getByText('Offline'));
  await waitFor(() => expect(calls.at(-1)?.query.get('status')).toBe('offline'));
  expect(address().status).toBe('offline');
  await user.click(within(screen.getByTestId('map-status')).getByText('All'));
  await waitFor(() => expect(address().status).toBeUndefined());
});

test('another project moves the map to where its devices are', async () => {
  answer<ListProjectsData, ListProjectsResponse>('get', '/api/v1/project', {
    nodes: [{ id: 7, title: 'North', parent_id: null, kind: 'project', position: 0 }],
  } as never);
  const { user } = await map('/?at=10,50,9');
  await waitFor(() => expect(rows()).toEqual([]));
  serve([MILL]);
  await user.click(await screen.findByTestId('map-project'));
  await user.click(await screen.findByRole('option', { name: /North/, hidden: true }));
  await waitFor(() => expect(calls[0]?.query.get('project_id')).toBe('7'));
  await waitFor(() => expect(rows()).toEqual(['MillOnline']));
});

test('filters by project and product are drawn only for who may list them', async () => {
  const projects = answer<ListProjectsData, ListProjectsResponse>('get', '/api/v1/project', { nodes: [] } as never);
  const products = answer<ListProductsData, ListProductsResponse>('get', '/api/v1/product', { rows: [], total: 0 });
  await map('/', ['Monitor.DeviceMap']);
  await waitFor(() => expect(rows()).toHaveLength(5));
  expect([projects, products]).toEqual([[], []]);
});

test('the list has what the map shows: beyond the part in view there is nothing', async () => {
  await map('/?at=116,40,8');
  await waitFor(() => expect(rows()).toEqual(['MillOnline']));
  expect(listed()).toBe('1 in view, 5 in total');
});

test('a device of the list is chosen and looked at closely; its card closes again', async () => {
  const { user } = await map();
  await waitFor(() => expect(rows()).toHaveLength(5));
  await user.click(row('Oven'));
  expect(address().device_id).toBe('2');
  expect(card().textContent).toMatch(/^OvenAlarm121/);
  await waitFor(() => expect(address().at).toMatch(/^121,31,11/));
  await waitFor(() => expect(rows()).toEqual(['OvenAlarm']));
  expect(row('Oven').getAttribute('aria-pressed')).toBe('true');
  await user.click(within(card()).getByRole('button', { name: 'Close' }));
  expect(screen.queryByTestId('device-card')).toBeNull();
  await waitFor(() => expect(address().device_id).toBeUndefined());
});

test('a dot opens the card of its device', async () => {
  const { user } = await map();
  await user.click(await screen.findByRole('button', { name: 'Pump 10' }));
  expect(card().textContent).toContain('Pump 10Offline');
});

test('a device that is asked for and has no place is told so', async () => {
  const { user, went } = await map('/?device_id=99');
  const notice = await screen.findByTestId('no-location');
  expect(notice.textContent).toContain('This device has no location data');
  await user.click(within(notice).getByRole('link', { name: 'Set location' }));
  expect(went()).toBe('/monitor/deviceLocation?placed=no');
  await user.click(within(notice).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByTestId('no-location')).toBeNull());
});

test.each([
  ['the list is cut', '/?device_id=99', { total: 30_000 }],
  ['a filter may hide it', '/?device_id=99&status=online', {}],
])('a device that is not shown is not called placeless while %s', async (_why, at, changes) => {
  serve(ALL, changes);
  await map(at);
  await waitFor(() => expect(rows()).toHaveLength(5));
  expect(screen.queryByTestId('no-location')).toBeNull();
});

test('a device that gets a place is on the map at once', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { push } = await connectLive();
  serve([MILL]);
  await map();
  await waitFor(() => expect(rows()).toHaveLength(1));
  serve([MILL, OVEN]);
  push({ type: 'place', did: 2 });
  await act(() => vi.advanceTimersByTimeAsync(2_500));
  await waitFor(() => expect(rows()).toHaveLength(2));
});

async function opened(permissions: readonly string[] = MAY): Promise<Rendered> {
  const page = await map('/?device_id=1&at=116,40,11', permissions);
  await screen.findByTestId('device-card');
  return page;
}

/** What the card says of a point, with how far it can be trusted. */
const value = async (title: string): Promise<string> =>
  (await within(card()).findByText(title)).nextSibling?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';

test('the card has the points that were chosen for the map, and none that is only written', async () => {
  serveSources([
    source({ dsid: 11, ds_title: 'Pressure', gis_show: true }),
    source({ dsid: 12, ds_title: 'Level' }),
    source({ dsid: 13, ds_title: 'Start', rw: 'writeonly', gis_show: true }),
  ]);
  serveLast([{ dsid: 11, value: 1.5 }]);
  await opened();
  expect(await value('Pressure')).toBe('1.50 bar');
  for (const none of ['Level', 'Start']) expect(within(card()).queryByText(none)).toBeNull();
});

test('without a choice the card has the first six points', async () => {
  serveSources(Array.from({ length: 9 }, (_, at) => source({ dsid: 20 + at, ds_title: `Point ${at}` })));
  await opened();
  await value('Point 5');
  expect(within(card()).queryByText('Point 6')).toBeNull();
});

test.each([
  ['of bad quality', { value: 1.5, quality: 4 }, {}, '1.50 bar Out of range'],
  ['that is old', { value: 1.5, t_ms: Date.now() - 600_000 }, {}, '1.50 bar Stale'],
  ['that nobody knows', { value: null, quality: 1 }, {}, '– bar Not yet read'],
  ['of a gateway that is offline', { value: 1.5 }, { online: false }, '1.50 bar Gateway offline'],
])('a value %s says so beside it', async (_how, last, link, words) => {
  serveSources([source({ ds_title: 'Pressure' })]);
  serveLast([{ dsid: 11, ...last }]);
  answer<GetDeviceData, GetDeviceResponse>('get', MILL_ONLY, device({ link: { ...device().link, ...link } }));
  await opened();
  expect(await value('Pressure')).toBe(words);
});

test('a pushed value shows on the card at once', async () => {
  serveSources([source({ ds_title: 'Pressure' })]);
  await opened();
  expect(await value('Pressure')).toBe('– bar No data');
  act(() => {
    bus.put(11, { t_ms: serverNow(), value: 1.75, quality: 0 });
    bus.flush();
  });
  expect(await value('Pressure')).toBe('1.75 bar');
});

test('a device without points says so', async () => {
  await opened();
  expect(await within(card()).findByText('This device has no data points')).toBeTruthy();
});

test.each([
  ['its points', SOURCES],
  ['the device', MILL_ONLY],
] as const)('when %s cannot be read the card says why, and claims nothing', async (_what, path) => {
  serveSources([source({ ds_title: 'Pressure' })]);
  refuse<ListDataSourcesData | GetDeviceData>('get', path, {
    status: 500,
    code: 20_000,
    data: { message: 'disk full' },
  });
  const { user } = await opened();
  expect((await within(card()).findByTestId('error-state')).textContent).toContain('disk full');
  expect(within(card()).queryByText('This device has no data points')).toBeNull();
  expect(within(card()).queryByText('Gateway offline')).toBeNull();
  answer<GetDeviceData, GetDeviceResponse>('get', MILL_ONLY, device());
  serveSources([source({ ds_title: 'Pressure' })]);
  await user.click(within(card()).getByRole('button', { name: /again|retry/i }));
  expect(await value('Pressure')).toContain('bar');
});

test('when last values cannot be read the card says why; what is pushed still shows', async () => {
  serveSources([source({ ds_title: 'Pressure' })]);
  refuse<GetLastValuesData>('get', LAST, { status: 500, code: 20_000, data: { message: 'series are away' } });
  await opened();
  expect((await within(card()).findByRole('alert')).textContent).toContain('series are away');
  act(() => {
    bus.put(11, { t_ms: serverNow(), value: 1.75, quality: 0 });
    bus.flush();
  });
  expect(await value('Pressure')).toBe('1.75 bar');
});

test('the card leads where its user may go, and asks for no values that he may not see', async () => {
  const { went, user, unmount } = await opened();
  const links = (): (string | null)[] =>
    within(card())
      .getAllByRole('link')
      .map((link) => link.getAttribute('href'));
  expect(links()).toEqual([
    '/deviceDetail/index?device_id=1',
    '/dataCenter/hisData?device_id=1',
    '/monitor/deviceLocation?search=Mill',
  ]);
  await user.click(within(card()).getByRole('link', { name: 'Device details' }));
  expect(went()).toBe('/deviceDetail/index?device_id=1');
  unmount();
  const asked = answer<ListDataSourcesData, ListDataSourcesResponse>('get', SOURCES, { rows: [], total: 0 } as never);
  await opened(['Monitor.DeviceMap']);
  expect(within(card()).queryAllByRole('link')).toEqual([]);
  expect(asked).toEqual([]);
});
