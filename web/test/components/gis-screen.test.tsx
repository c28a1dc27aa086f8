import { screen, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import type { AlarmRow, ListAlarmsData, ListAlarmsResponse } from '@/api/generated/types.gen';
import GisScreen from '@/features/map/screens/GisScreen';
import { ALL, answerMap, calls, MAY, MILL, OVEN, serve } from './map-fixtures';
import { answer, network, refuse } from './network';
import type { Call } from './network';
import { show } from './render';
import type { Rendered } from './render';

beforeEach(answerMap);

function alarm(changes: Partial<AlarmRow> = {}): AlarmRow {
  return { id: 1, at: Date.now(), alarm_type: 102, level: null, device_title: 'Mill', ...changes } as AlarmRow;
}

function serveAlarms(list: AlarmRow[]): Call[] {
  return answer<ListAlarmsData, ListAlarmsResponse>('get', '/api/v1/event/alarmlog', {
    rows: list,
    total: list.length,
  });
}

async function gis(permissions: readonly string[] = MAY, at = '/'): Promise<Rendered> {
  const page = await show(<GisScreen />, { permissions, at });
  await screen.findByTestId('map-counts');
  return page;
}

const counts = (): string[] =>
  [...screen.getByTestId('map-counts').children].map(({ textContent }) => textContent.trim());

test('the wall screen asks for its devices, counts them by state, and tells of none only where it matters', async () => {
  serveAlarms([]);
  serve(ALL, { placeless: 4 });
  await gis();
  expect(calls[0]?.query.get('gis')).toBe('true');
  expect(counts()).toEqual(['Devices5', 'Online1', 'Offline2', 'Alarm1', 'Never connected1', 'No location4']);
});

test('of more devices than a map takes the wall screen tells the whole number, and of how many it knows the state', async () => {
  serveAlarms([]);
  serve([MILL, OVEN], { total: 30_000 });
  await gis();
  expect(counts()[0]).toBe('Devices30000');
  expect(screen.getByText('Only the first 2 devices are shown and counted by state.')).toBeTruthy();
});

test('without a device the wall screen says how to show one', async () => {
  serveAlarms([]);
  serve([]);
  await gis();
  expect(counts()).toEqual(['Devices0', 'Online0', 'Offline0', 'Alarm0', 'No location0']);
  expect(screen.getByText(/No devices are shown in GIS/)).toBeTruthy();
});

test('the newest open alarms stand beside the map; without one the screen says so', async () => {
  const asked = serveAlarms([alarm(), alarm({ id: 2, device_title: 'Oven' })]);
  await gis();
  const list = within(await screen.findByTestId('gis-alarms'));
  expect((await list.findAllByRole('listitem')).map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/Mill\d\d:\d\d$/),
    expect.stringMatching(/Oven\d\d:\d\d$/),
  ]);
  expect(Object.fromEntries(asked[0]?.query ?? [])).toEqual({ page: '1', limit: '12', status: '0' });
  expect(screen.queryByText('There are no unhandled alarms')).toBeNull();
});

test('no open alarm is said only once the cloud has said so', async () => {
  let open: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  network.use(
    http.get('*/api/v1/event/alarmlog', async () => {
      await held;
      return HttpResponse.json({ code: 0, msg: '', data: { rows: [], total: 0 } });
    }),
  );
  await gis();
  expect(screen.queryByText('There are no unhandled alarms')).toBeNull();
  open();
  expect(await screen.findByText('There are no unhandled alarms')).toBeTruthy();
});

test('alarms that cannot be read are not called none, and are asked for again', async () => {
  refuse<ListAlarmsData>('get', '/api/v1/event/alarmlog', {
    status: 500,
    code: 20_000,
    data: { message: 'disk full' },
  });
  const { user } = await gis();
  const panel = within(screen.getByTestId('gis-alarms'));
  expect((await panel.findByTestId('error-state')).textContent).toContain('disk full');
  expect(screen.queryByText('There are no unhandled alarms')).toBeNull();
  serveAlarms([alarm()]);
  await user.click(panel.getByRole('button', { name: /again|retry/i }));
  expect(await panel.findAllByRole('listitem')).toHaveLength(1);
});

test('who may not read events has no alarms beside the map, and none are asked for', async () => {
  const asked = serveAlarms([]);
  await gis(['GisScreen', 'Monitor.DeviceMap']);
  expect(screen.queryByTestId('gis-alarms')).toBeNull();
  expect(asked).toEqual([]);
});
