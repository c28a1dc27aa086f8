import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type {
  AlarmRow,
  DeviceRow,
  GetOptionData,
  GetOptionResponse,
  GetUserOptionData,
  GetUserOptionResponse,
  OnOfflineEvent,
  PutUserOptionData,
  PutUserOptionResponse,
} from '@/api/generated/types.gen';
import { formatDateTime } from '@/lib/time';
import { answer } from './network';
import { HOUR, hrefOf, linksIn, NOW, page, part, serve, text } from './overview-fixtures';

beforeEach(() => serve());

function alarm(changes: Partial<AlarmRow> = {}): AlarmRow {
  const row: Partial<AlarmRow> = {
    id: 1,
    at: NOW - 3_000,
    alarm_type: 0,
    level: null,
    status: 0,
    device_id: 7,
    device_title: 'Mill',
    gateway_id: 'gw-7',
    slave: 'plc',
    slave_title: 'PLC',
    title: 'Pressure too high',
    cause: '',
    ...changes,
  };
  return row as AlarmRow;
}

function onOff(changes: Partial<OnOfflineEvent> = {}): OnOfflineEvent {
  return {
    id: 5,
    at: NOW - 2_000,
    status: 0,
    device_id: 8,
    device_title: '',
    gateway_id: 'gw-8',
    slave: null,
    slave_title: null,
    reason: 'link_lost',
    duration_ms: 0,
    lasts: true,
    ...changes,
  };
}

test('events of both kinds stand in one list, the newest first, ten of them', async () => {
  const alarms = Array.from({ length: 8 }, (_, at) => alarm({ id: at + 1, at: NOW - 10_000 - at }));
  const pair = [onOff({ status: 1, at: NOW - 1_000 }), onOff(), onOff({ id: 6, at: NOW - 3_000 * HOUR })];
  await page({ events: { alarms, on_offline: pair } });
  const rows = screen.getAllByTestId('overview-event');
  expect(rows).toHaveLength(10);
  expect(rows[0]?.textContent).toBe(`Onlinegw-8${formatDateTime(NOW - 1_000)}`);
  expect(rows[1]?.textContent).toMatch(/^Offlinegw-8.+\d{4}-/);
  expect(rows[2]?.textContent).toContain('Mill / PLCPressure too high');
  expect(linksIn(rows[2] as HTMLElement)).toEqual(['/alarm/alarmlog?device=7']);
  expect(hrefOf(screen.getByTestId('all-events'))).toBe('/alarm/alarmlog');
});

test('who reads on-offline events only is led to their list, and no level is asked for', async () => {
  const levels = answer<GetOptionData, GetOptionResponse>('get', '/api/v1/option', { name: 'alarm_levels', value: [] });
  await page({ events: { alarms: null, on_offline: [] } });
  expect(text('events')).toContain('No events yet');
  expect(hrefOf(screen.getByTestId('all-events'))).toBe('/alarm/onOffline');
  expect(levels).toEqual([]);
});

test('a level of the platform’s own is named by its title', async () => {
  const levels = answer<GetOptionData, GetOptionResponse>('get', '/api/v1/option', {
    name: 'alarm_levels',
    value: [{ id: 7, title: 'Call out', color: '#aa0000' }],
  });
  await page({
    events: { alarms: [alarm({ alarm_type: 207, level: 7, title: '', cause: 'unheard_of' })], on_offline: null },
  });
  await waitFor(() => expect(screen.getByTestId('alarm-tag').textContent).toBe('Call out'));
  expect(levels).toHaveLength(1);
  expect(screen.getByTestId('overview-event').textContent).toContain('unheard_of');
});

test('an alarm of a forwarding target is told in a sentence', async () => {
  await page({ events: { alarms: [alarm({ title: 'bureau', cause: 'target_down' })], on_offline: null } });
  expect(screen.getByTestId('overview-event').textContent).toContain('Forwarding target "bureau" takes no data');
});

test('the newest message and the longest silences are told by age', async () => {
  const quiet = [{ device_id: 7, device_title: 'Mill', online: false, last_ms: Date.now() - 50 * HOUR }];
  await page({ link: { newest_ms: Date.now() - 60_500, oldest_ms: null, quiet } });
  expect(text('link')).toContain('Newest message: 1 min ago');
  expect(text('link')).toContain('Mill2 d ago');
  expect(hrefOf(screen.getByTestId('all-link'))).toBe('/device/deviceManage?sort=last_ms');
});

test('without any message the part says so', async () => {
  await page({ link: { newest_ms: null, oldest_ms: null, quiet: [] } });
  expect(text('link')).toContain('No gateway has sent anything yet.');
});

test('a favourite that never connected has no age and is called new', async () => {
  const row = {
    id: 7,
    device_title: 'Mill',
    status: 'offline',
    presence: { status: 'offline', layer: '', code: 'never_connected', since_ms: null, arguments: {} },
    last_ms: null,
  } as unknown as DeviceRow;
  await page({ favourites: [row] });
  expect(screen.getByTestId('favourite').textContent).toBe('MillNever connected–');
  expect(linksIn(screen.getByTestId('favourite'))).toEqual(['/deviceDetail/index?device_id=7']);
});

test('a favourite that is marked no more goes from the page with the next answer, which is asked for at once', async () => {
  answer<GetUserOptionData, GetUserOptionResponse>('get', '/api/v1/user/option', {
    name: 'favourite_devices',
    value: [7, 9],
  });
  const put = answer<PutUserOptionData, PutUserOptionResponse>('put', '/api/v1/user/option', {
    name: 'favourite_devices',
    value: [9],
  });
  const row = { id: 7, device_title: 'Mill', status: 'online', presence: { code: '' }, last_ms: NOW };
  const { user } = await page({ favourites: [row as DeviceRow] });
  const star = within(screen.getByTestId('favourite')).getByTestId('star');
  await waitFor(() => expect(star.getAttribute('aria-pressed')).toBe('true'));
  serve({ favourites: [] });
  await user.click(star);
  expect(await screen.findByText(/No favourites yet\./)).toBeTruthy();
  expect(put[0]?.body).toEqual({ name: 'favourite_devices', value: [9] });
});

test('without a favourite the part says how to get one', async () => {
  await page({ favourites: [] });
  expect(text('favourites')).toContain('No favourites yet.');
});

test('the small map has a dot for each place and counts what has none', async () => {
  const dots = [
    { device_id: 7, device_title: 'Mill', longitude: 10, latitude: 50, status: 'offline' },
    { device_id: 8, device_title: 'Oven', longitude: 11, latitude: 51, status: 'online' },
  ];
  await page({ places: { dots, total: 2, placeless: 3 } });
  const titles = [...part('places').querySelectorAll('circle')].map((dot) => [dot.textContent, dot.dataset.status]);
  expect(titles).toEqual([
    ['Oven', 'online'],
    ['Mill', 'offline'],
  ]);
  expect(text('places')).toContain('2 devices with a location, 3 without');
  expect(hrefOf(screen.getByTestId('overview-map'))).toBe('/monitor/deviceMap');
});

test('without a place there is no map', async () => {
  await page({ places: { dots: [], total: 0, placeless: 3 } });
  expect(text('places')).toContain('No device has a location yet');
  expect(screen.queryByTestId('overview-map')).toBeNull();
});

test('what is kept quiet is counted below the problems, and leads to it', async () => {
  await page({ suppressions: { shelved: 2, out_of_service: 1 } });
  const line = await screen.findByTestId('overview-quiet');
  expect(line.textContent).toBe('Kept quiet: 2 alarms shelved1 alarm out of service');
  expect(linksIn(line)).toEqual([
    '/alarm/alarmlog?view=quiet&kind=shelved',
    '/alarm/alarmlog?view=quiet&kind=out_of_service',
  ]);
});

test.each([{}, null])('where nothing is kept quiet there is no line: %j', async (suppressions) => {
  await page({ suppressions });
  await screen.findByTestId('no-problems');
  expect(screen.queryByTestId('overview-quiet')).toBeNull();
});
