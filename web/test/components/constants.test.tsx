import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { ListUsersData, ListUsersResponse } from '@/api/generated/types.gen';
import { BackToTop } from '@/app/layout/BackToTop';
import { Clock } from '@/app/layout/Clock';
import { useOpened } from '@/app/opened';
import { followSize } from '@/app/theme/size';
import { CopyButton } from '@/components/CopyText';
import { DateRangePicker } from '@/components/DateRangePicker';
import { PresetTimeSelect } from '@/components/form/PresetTimeSelect';
import { useRange } from '@/components/useRange';
import UserList from '@/features/users/screens/UserList';
import { screens } from '@/app/manifest';
import { tabId } from '@/lib/screens';
import { usePreferences } from '@/lib/preferences';
import { answer, network } from './network';
import { show } from './render';

// Constants of section 9 of the specification, by what a user sees of them. Others: events.test.tsx (badge, panel, toasts),
// write.test.tsx (state of a command), and the tests of the pure modules (http, live-socket, shell, colours, time).

beforeEach(() => {
  usePreferences.setState({ pageSize: usePreferences.getInitialState().pageSize });
  useOpened.setState({ tabs: [], activeId: null });
});

function users(total: number): ReturnType<typeof answer> {
  return answer<ListUsersData, ListUsersResponse>('get', '/api/v1/auth/user', { rows: [], total });
}

test('a list asks for 20 rows; 10, 20, 30, 50 and 100 are offered, and what is chosen is asked for', async () => {
  const calls = users(200);
  const { user } = await show(<UserList />, { permissions: ['auth.User'], at: '/user/authuser' });
  const size = within(await screen.findByTestId('paging')).getByRole('combobox');
  expect((size as HTMLInputElement).value).toBe('20 / page');
  await waitFor(() => expect(calls[0]?.query.get('limit')).toBe('20'));
  await user.click(size);
  const offered = await screen.findAllByRole('option', { hidden: true, name: / \/ page$/ });
  expect(offered.map(({ textContent }) => textContent)).toEqual(
    [10, 20, 30, 50, 100].map((count) => `${count} / page`),
  );
  await user.click(offered[3] as HTMLElement);
  await waitFor(() => expect(calls.at(-1)?.query.get('limit')).toBe('50'));
});

test('the size is medium until another one is chosen', () => {
  usePreferences.setState({ size: usePreferences.getInitialState().size });
  followSize();
  expect(document.documentElement.dataset.size).toBe('medium');
  act(() => usePreferences.getState().setSize('mini'));
  expect(document.documentElement.dataset.size).toBe('mini');
  act(() => usePreferences.getState().setSize('medium'));
});

test('calls go to the host of the page, below /api/v1', async () => {
  const addresses: string[] = [];
  const note = ({ request }: { request: Request }): void => void addresses.push(request.url);
  network.events.on('request:start', note);
  users(0);
  await show(<UserList />, { permissions: ['auth.User'] });
  await screen.findByTestId('empty-state');
  network.events.removeListener('request:start', note);
  expect(addresses.length).toBeGreaterThan(0);
  for (const address of addresses) expect(address).toMatch(/^http:\/\/portal\.test\/api\/v1\//);
});

test('the clock of the wall goes on every second', async () => {
  vi.useFakeTimers({ now: new Date(2026, 4, 6, 7, 8, 9, 200) });
  await show(<Clock />);
  const read = (): string => screen.getByTestId('wall-clock').textContent ?? '';
  expect(read()).toBe('2026-05-06 07:08:09');
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect(read()).toBe('2026-05-06 07:08:10');
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(read()).toBe('2026-05-06 07:08:13');
});

test.each([
  [0, false],
  [300, false],
  [301, true],
])('the way to the top is offered beyond 300 px: at %i px %s', async (y, offered) => {
  Object.defineProperty(window, 'scrollY', { configurable: true, value: y });
  window.pageYOffset = y;
  await show(<BackToTop />);
  act(() => void window.dispatchEvent(new Event('scroll')));
  expect(screen.queryByTestId('back-to-top') !== null).toBe(offered);
});

test('the way to the top takes 800 ms', async () => {
  Object.defineProperty(window, 'scrollY', { configurable: true, value: 1_000 });
  window.pageYOffset = 1_000;
  const frames: FrameRequestCallback[] = [];
  const places: number[] = [];
  await show(<BackToTop />);
  act(() => void window.dispatchEvent(new Event('scroll')));
  const button = screen.getByTestId('back-to-top');
  vi.stubGlobal('requestAnimationFrame', (step: FrameRequestCallback) => frames.push(step));
  window.scrollTo = ((_x: number, y: number) => void places.push(y)) as typeof window.scrollTo;
  const start = 10_000;
  vi.spyOn(performance, 'now').mockReturnValue(start);
  fireEvent.click(button);
  for (const after of [0, 400, 799, 800]) {
    const left = frames.splice(0);
    expect(left, `a frame is asked for at ${after} ms`).toHaveLength(1);
    left[0]?.(start + after);
  }
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  expect(places[0]).toBe(1_000);
  expect(places[1]).toBe(500);
  expect(places[2]).toBeGreaterThan(0);
  expect(places[3]).toBe(0);
  expect(frames, 'nothing moves after 800 ms').toEqual([]);
});

test('copied is told for 1500 ms', async () => {
  vi.stubGlobal('isSecureContext', true);
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: () => Promise.resolve() },
  });
  await show(<CopyButton text="edge/v1" name="topic" />);
  const button = screen.getByRole('button');
  const before = button.getAttribute('aria-label');
  vi.useFakeTimers();
  fireEvent.click(button);
  await act(() => vi.advanceTimersByTimeAsync(1_450));
  expect(button.getAttribute('aria-label')).not.toBe(before);
  await act(() => vi.advanceTimersByTimeAsync(100));
  expect(button.getAttribute('aria-label')).toBe(before);
});

function Period(): React.ReactElement {
  return <DateRangePicker range={useRange('past7Days')} />;
}

test('the quick ranges stand in their order', async () => {
  const { user } = await show(<Period />);
  await user.click(screen.getByTestId('range-picker'));
  const found = (await screen.findAllByTestId(/^range-(?!picker|before|after|days|start|end|apply)/))
    .map(({ dataset }) => dataset.testid?.replace('range-', ''))
    .filter((name) => name !== undefined);
  expect(found.slice(0, 9)).toEqual([
    'pastHour',
    'today',
    'yesterday',
    'past7Days',
    'past30Days',
    'thisMonth',
    'lastMonth',
    'halfYear',
    'oneYear',
  ]);
});

test('a quick range stays relative in the address, a step makes it a period', async () => {
  const { user } = await show(<Period />);
  await user.click(screen.getByTestId('range-picker'));
  await user.click(await screen.findByTestId('range-yesterday'));
  expect(window.location.search).toBe('?range=yesterday');
  await user.click(screen.getByTestId('range-before'));
  const search = new URLSearchParams(window.location.search);
  expect(search.get('range')).toBeNull();
  expect(Number(search.get('end')) - Number(search.get('start'))).toBeGreaterThan(22 * 3_600_000);
});

test.each([
  [0, Infinity, 14],
  [300, 3_600, 5],
])('preset times from %i s to %i s: %i', async (min, max, count) => {
  const { user } = await show(
    <PresetTimeSelect label="Every" value={null} onChange={() => undefined} min={min} max={max} data-testid="preset" />,
  );
  await user.click(screen.getByTestId('preset'));
  const words = (await screen.findAllByRole('option', { hidden: true })).map(({ textContent }) => textContent);
  expect(words).toHaveLength(count);
  if (count !== 14) return;
  expect([words[0], words[4], words[5], words[8], words[9], words[13]]).toEqual([
    '1 min',
    '30 min',
    '1 h',
    '12 h',
    '1 d',
    '90 d',
  ]);
});

test('twelve pages are kept alive; the thirteenth closes the one unused longest', () => {
  const pages = screens.filter(({ layout }) => layout === 'admin').slice(0, 13);
  const { show: open } = useOpened.getState();
  for (const screenOf of pages.slice(0, 12)) open(screenOf, {});
  open(pages[0]!, {});
  expect(useOpened.getState().tabs).toHaveLength(12);
  open(pages[12]!, {});
  const ids = useOpened.getState().tabs.map(({ id }) => id);
  expect(ids).toHaveLength(12);
  expect(ids).toContain(tabId(pages[0]!, {}));
  expect(ids).not.toContain(tabId(pages[1]!, {}));
});
