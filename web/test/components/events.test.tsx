import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type {
  GetOptionData,
  GetOptionResponse,
  GetUnreadData,
  GetUnreadResponse,
  ListAlarmsData,
  ListAlarmsResponse,
  ReadEventsData,
} from '@/api/generated/types.gen';
import { ApiError } from '@/api/errors';
import { clearNotices, showError } from '@/components/notices';
import { Bell } from '@/features/events/components/Bell';
import AlarmLog from '@/features/events/screens/AlarmLog';
import { nothingElse } from './alarm-fixtures';
import { answer, refuse } from './network';
import type { Call } from './network';
import { show } from './render';

const MAY = ['Event', 'DeviceMonitor_Online'];
const REM_PX = 16;
let logs: Call[];

beforeEach(() => {
  nothingElse();
  answer<GetUnreadData, GetUnreadResponse>('get', '/api/v1/event/unread', { alarm: 5, onoffline: 0 });
  answer<GetOptionData, GetOptionResponse>('get', '/api/v1/option', { name: 'alarm_levels', value: [] });
  logs = answer<ListAlarmsData, ListAlarmsResponse>('get', '/api/v1/event/alarmlog', { rows: [], total: 0 });
});

afterEach(() => {
  act(() => clearNotices());
});

test.each([
  [0, null],
  [999, '999'],
  [1_000, '999+'],
])('the badge of %i unread events says %s', async (count, text) => {
  const calls = answer<GetUnreadData, GetUnreadResponse>('get', '/api/v1/event/unread', { alarm: count, onoffline: 0 });
  await show(<Bell />, { permissions: MAY });
  await waitFor(() => expect(calls).toHaveLength(1));
  await waitFor(() => expect(screen.queryByTestId('notifications-badge')?.textContent ?? null).toBe(text));
});

test('the panel is 338 px wide, its list 300 px high, with pages of 20', async () => {
  const { user } = await show(<Bell />, { permissions: MAY });
  await user.click(screen.getByTestId('notifications'));
  const tab = await screen.findByTestId('events-tab-alarm');
  const [, rem] = /([\d.]+)rem/.exec(screen.getByTestId('notifications-panel').style.width) ?? [];
  expect(Number(rem) * REM_PX).toBe(338);
  await user.click(tab);
  await waitFor(() => expect(logs).toHaveLength(1));
  expect(logs[0]?.query.get('limit')).toBe('20');
  expect(document.querySelector<HTMLElement>('[role=tabpanel] [aria-busy]')?.style.height).toBe('300px');
});

test('what the cloud refuses is a toast', async () => {
  refuse<ReadEventsData>('post', '/api/v1/event/read', {
    status: 400,
    code: 20_000,
    data: { message: 'made by a test' },
  });
  const { user } = await show(<Bell />, { permissions: MAY });
  await screen.findByTestId('notifications-badge');
  await user.click(screen.getByTestId('notifications'));
  await user.click(await screen.findByTestId('events-read-all'));
  expect(await screen.findByText(/made by a test/)).toBeTruthy();
});

test('an error is shown for 5 s', async () => {
  await show(<p />);
  vi.useFakeTimers();
  const toast = (): HTMLElement | null => screen.queryByText(/made by a test/);
  act(() => showError(new ApiError({ code: 20_000, status: 400, msg: 'made by a test' })));
  await act(() => vi.advanceTimersByTimeAsync(4_900));
  expect(toast()).not.toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(400)); // its fading included
  expect(toast()).toBeNull();
});

test.each([
  ['en', 'triggers'],
  ['zh', '触发器'],
] as const)('an empty alarm log says why and leads to the on-offline log (%s)', async (language, word) => {
  const { user, went } = await show(<AlarmLog />, { permissions: MAY, language, at: '/alarm/alarmlog' });
  expect((await screen.findByTestId('empty-state')).textContent).toContain(word);
  await user.click(screen.getByTestId('alarms-to-onoff'));
  expect(went()).toBe('/alarm/onOffline');
});

test('who may not see the on-offline log is not led there', async () => {
  await show(<AlarmLog />, { permissions: ['Event'] });
  await screen.findByTestId('empty-state');
  expect(screen.queryByTestId('alarms-to-onoff')).toBeNull();
});

test('a log that cannot be read says why and is asked for again', async () => {
  refuse<ListAlarmsData>('get', '/api/v1/event/alarmlog', {
    status: 500,
    code: 20_000,
    data: { message: 'disk full' },
  });
  const { user } = await show(<AlarmLog />, { permissions: MAY });
  const trouble = await screen.findByRole('alert');
  expect(trouble.textContent).toContain('disk full');
  answer<ListAlarmsData, ListAlarmsResponse>('get', '/api/v1/event/alarmlog', { rows: [], total: 0 });
  await user.click(screen.getByRole('button', { name: /again|retry/i }));
  expect(await screen.findByTestId('empty-state')).toBeTruthy();
});
