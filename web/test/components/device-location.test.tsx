import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type {
  ListLocationsData,
  ListLocationsResponse,
  Location,
  PutPositionData,
  PutPositionResponse,
} from '@/api/generated/types.gen';
import DeviceLocation from '@/features/map/screens/DeviceLocation';
import { formatDateTime } from '@/lib/time';
import { cellsOf } from './cells';
import { answerMap, MAY } from './map-fixtures';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

const LOCATIONS = '/api/v1/device/location';
const POSITION = '/api/v1/device/{device_id}/position';
beforeEach(answerMap);

function place(changes: Partial<Location> = {}): Location {
  return {
    device_id: 1,
    device_title: 'Mill',
    gateway_id: 'gw-1',
    status: 1,
    address: 'North yard',
    longitude: 116.5,
    latitude: 40.25,
    auto: false,
    has_location_point: false,
    positioned_ms: 1_700_000_000_000,
    ...changes,
  };
}

let places: Call[];

async function location(list: Location[], at = '/', permissions: readonly string[] = MAY): Promise<Rendered> {
  places = answer<ListLocationsData, ListLocationsResponse>('get', LOCATIONS, { rows: list, total: list.length });
  const page = await show(<DeviceLocation />, { permissions, at });
  await waitFor(() => expect(places.length).toBeGreaterThan(0));
  return page;
}

test('each device has its place, how it is found and since when; one without a place says so', async () => {
  await location([
    place(),
    place({ device_id: 2, longitude: null, latitude: null, positioned_ms: null, status: 3 }),
    place({ device_id: 3, auto: true, has_location_point: true }),
    place({ device_id: 4, auto: true }),
  ]);
  const told = (await screen.findAllByTestId('locations-row')).map(cellsOf);
  expect(told[0]?.slice(0, 3)).toEqual(['Mill', 'gw-1', 'Online']);
  expect(told[0]?.[3]).toMatch(/116\.5.*40\.25/);
  expect(told[0]?.slice(4, 7)).toEqual(['Manual', 'North yard', formatDateTime(1_700_000_000_000)]);
  expect(told[1]?.slice(2, 5)).toEqual(['Never connected', 'This device has no location data', 'Manual']);
  expect(told[1]?.[6]).toBe('–');
  expect(told[2]?.[4]).toBe('Automatic');
  expect(told[3]?.[4]).toContain('location point no longer exists: last known position');
});

test('a place on the equator and the prime meridian is a place', async () => {
  const { user, went } = await location([place({ longitude: 0, latitude: 0 })]);
  const cell = cellsOf(await screen.findByTestId('locations-row'))[3];
  expect(cell).not.toContain('no location');
  await user.click(within(screen.getByTestId('locations-row')).getAllByRole('link')[0] as HTMLElement);
  expect(went()).toBe('/monitor/deviceMap?device_id=1&at=0%2C0%2C11');
});

test.each([
  ['placed=no', { placed: 'false' }],
  ['placed=yes&status=offline', { placed: 'true', status: 'offline' }],
  ['search=mill', { search: 'mill' }],
])('filters of the address go to the cloud: %s', async (at, asked) => {
  await location([], `/?${at}`);
  const { page: _page, limit: _limit, ...rest } = Object.fromEntries(places[0]?.query ?? []);
  expect(rest).toEqual(asked);
});

const input = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(`location-${name}`);

async function editing(of: Partial<Location> = {}): Promise<Rendered> {
  const page = await location([place(of)]);
  await page.user.click(await screen.findByTestId('row-edit'));
  await screen.findByTestId('location-longitude');
  return page;
}

function puts(): Call[] {
  return answer<PutPositionData, PutPositionResponse>('put', POSITION, place());
}

test('a place is typed in degrees and sent as such', async () => {
  const sent = puts();
  const { user } = await editing();
  await user.clear(input('longitude'));
  await user.type(input('longitude'), '-70.5');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(sent[0]?.body).toEqual({ longitude: -70.5, latitude: 40.25 }));
});

test('half of a place, or one beyond the poles, is not sent', async () => {
  const sent = puts();
  const { user } = await editing();
  await user.clear(input('latitude'));
  await user.click(screen.getByTestId('form-save'));
  expect(await screen.findByText(/enter both or leave both empty/)).toBeTruthy();
  await user.type(input('latitude'), '91');
  await user.click(screen.getByTestId('form-save'));
  expect(await screen.findByText(/enter both or leave both empty/)).toBeTruthy();
  expect(sent).toEqual([]);
});

test('a place is taken away', async () => {
  const sent = puts();
  const { user } = await editing();
  await user.click(screen.getByTestId('location-clear'));
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(sent[0]?.body).toEqual({ longitude: null, latitude: null }));
});

test('coordinates that are pasted are read, in their datum; other text is not', async () => {
  const sent = puts();
  const { user } = await editing();
  await user.click(input('paste'));
  await user.paste('nowhere');
  expect(screen.getByText('No coordinates found')).toBeTruthy();
  await user.clear(input('paste'));
  await user.paste('116.397428, 39.90923');
  expect([input('longitude').value, input('latitude').value]).toEqual(['116.397428', '39.90923']);
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(sent[0]?.body).toEqual({ longitude: 116.397428, latitude: 39.90923 }));
});

test('automatic cannot be chosen without a location point', async () => {
  await editing();
  const [manual, auto] = within(screen.getByTestId('location-mode')).getAllByRole<HTMLInputElement>('radio');
  expect([manual?.checked, auto?.disabled]).toEqual([true, true]);
  expect(screen.getByText(/This device has no point of type location/)).toBeTruthy();
});

test('who positions automatically sends that alone, and gets no picker', async () => {
  const sent = puts();
  const { user } = await editing({ has_location_point: true });
  await user.click(within(screen.getByTestId('location-mode')).getByText('Automatic'));
  expect(input('longitude').disabled).toBe(true);
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(sent[0]?.body).toEqual({ auto: true }));
});

test('back to manual, the place is sent with it', async () => {
  const sent = puts();
  const { user } = await editing({ has_location_point: true, auto: true });
  await user.click(within(screen.getByTestId('location-mode')).getByText('Manual'));
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(sent[0]?.body).toEqual({ longitude: 116.5, latitude: 40.25, auto: false }));
});

test('what the cloud refuses stands in the form, which stays', async () => {
  refuse<PutPositionData>('put', POSITION, {
    status: 409,
    data: { field: 'longitude', rule: 'auto', reason: 'device.auto_position' },
  });
  const { user } = await editing();
  await user.click(screen.getByTestId('location-clear'));
  await user.click(screen.getByTestId('form-save'));
  expect(await screen.findByText(/positioned automatically; switch it to manual first/)).toBeTruthy();
  expect(input('longitude')).toBeTruthy();
});

test('who may not manage devices reads places only', async () => {
  await location([place()], '/', ['Monitor.DeviceLocation']);
  const told = await screen.findByTestId('locations-row');
  expect(told.textContent).toContain('116.5');
  const edit = screen.queryByTestId<HTMLButtonElement>('row-edit');
  expect(edit === null || edit.disabled || edit.getAttribute('aria-disabled') === 'true').toBe(true);
  expect(within(told).queryByRole('link')).toBeNull();
});

test('without a device the list says so', async () => {
  await location([]);
  expect((await screen.findByTestId('empty-state')).textContent).toContain('There are no devices yet');
});
