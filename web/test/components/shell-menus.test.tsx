import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PutUserOptionData } from '@/api/generated/types.gen';
import { ConnectionBanner } from '@/app/layout/ConnectionBanner';
import { useErrorLog } from '@/lib/errorLog';
import { useLink } from '@/lib/live';
import { usePreferences } from '@/lib/preferences';
import { formatClock } from '@/lib/time';
import { refuse } from './network';
import { show } from './render';
import {
  CAMERAS,
  endShell,
  EVERYTHING,
  FakeSocket,
  FAULTS,
  GROUPS,
  isAt,
  kept,
  MAY,
  menu,
  OPTION,
  PLANS,
  portal,
  RULES,
  saved,
  startShell,
  tabs,
} from './shell-fixtures';

beforeEach(startShell);

afterEach(endShell);

const entries = (within_: HTMLElement = menu()): string[] =>
  within(within_)
    .queryAllByRole('link')
    .map(({ textContent }) => textContent);

test('the menu has what the user may, a section of one entry as that entry, the open page marked', async () => {
  const { user } = await portal(PLANS);
  expect(entries()).toEqual(['Cameras', 'Maintenance plans', 'Faults']);
  const plans = within(menu()).getByRole('link', { name: 'Maintenance plans' });
  expect(plans.getAttribute('aria-current')).toBe('page');
  expect(within(menu()).getByRole('link', { name: 'Faults' }).getAttribute('aria-current')).toBeNull();
  await user.click(screen.getByTestId('section-maintenance'));
  expect(entries()).toEqual(['Cameras']);
  expect(screen.getByTestId('section-maintenance').getAttribute('aria-expanded')).toBe('false');
});

test('pages that are announced say so, and are not there while the platform does not show them', async () => {
  await portal(CAMERAS);
  expect(within(menu()).getByRole('link', { name: 'Cameras' }).title).toBe('Not available yet');
  expect(await screen.findByTestId('not-yet')).toBeTruthy();
});

test('who may open nothing of a section does not see it', async () => {
  await portal(GROUPS, { ...EVERYTHING, permissions: ['auth.Group/index', 'worker.Plan'] });
  expect(entries()).toEqual(['Maintenance plans']);
  expect(screen.queryByTestId('section-maintenance')).toBeNull();
});

test('ways out of the portal open a window of their own, and are offered with an address alone', async () => {
  await portal(GROUPS, {
    ...EVERYTHING,
    permissions: [...MAY, 'NodeManager', 'GisScreen'],
    links: { flow: 'https://flow.example/' },
  });
  const out = within(menu()).getByRole('link', { name: /Flow editor/ });
  expect([out.getAttribute('href'), out.getAttribute('target'), out.getAttribute('rel')]).toEqual([
    'https://flow.example/',
    '_blank',
    'noopener noreferrer',
  ]);
  expect(entries().join()).not.toContain('GIS');
});

test('menus of the top bar have their entries; one that is empty is not there', async () => {
  const { user } = await portal(GROUPS);
  expect(screen.queryByTestId('top-fee')).toBeNull();
  await user.click(screen.getByTestId('top-user'));
  const groups = await screen.findByRole('menuitem', { name: 'Permission groups' });
  expect(groups.getAttribute('aria-current')).toBe('page');
  await user.click(screen.getByRole('menuitem', { name: 'Permission rules' }));
  await isAt(RULES, 'Permission rules');
});

test('the menu becomes a rail of icons, whose sections open beside it', async () => {
  const { user } = await portal(CAMERAS);
  await user.click(screen.getByRole('button', { name: 'Collapse the menu' }));
  expect(usePreferences.getState().sidebarCollapsed).toBe(true);
  expect(entries()).toEqual([]);
  await user.click(screen.getByTestId('section-maintenance'));
  await user.click(await screen.findByRole('menuitem', { name: 'Faults' }));
  await isAt(FAULTS, 'Faults');
  expect(screen.getByTestId('section-maintenance').dataset.active).toBe('true');
  await user.click(screen.getByRole('button', { name: 'Expand the menu' }));
  expect(entries()).toEqual(['Cameras', 'Maintenance plans', 'Faults']);
});

test('the connection is told, and tried again by the button of the banner', async () => {
  await portal(GROUPS);
  const chip = screen.getByTestId('connection-chip');
  await waitFor(() => expect(chip.textContent).toBe('Connecting'));
  const [first] = FakeSocket.all;
  act(() => first?.onopen?.());
  await waitFor(() => expect(first?.sent).toEqual([JSON.stringify({ type: 'identify', token: 't' })]));
  act(() => first?.say({ type: 'identified' }));
  await waitFor(() => expect(chip.textContent).toBe('Live'));
  expect(screen.queryByTestId('connection-banner')).toBeNull();
  // Without a pause: the connection tries again by itself within a second.
  act(() => first?.onclose?.());
  expect(chip.textContent).toMatch(/^Reconnecting/);
  act(() => useLink.setState({ lostAtMs: Date.now() - 5_000 }));
  fireEvent.click(within(screen.getByTestId('connection-banner')).getByRole('button', { name: 'Reconnect now' }));
  expect(FakeSocket.all).toHaveLength(2);
  act(() => FakeSocket.all[1]?.onopen?.());
  act(() => FakeSocket.all[1]?.say({ type: 'identified' }));
  await waitFor(() => expect(screen.queryByTestId('connection-banner')).toBeNull());
});

test('a short interruption is not told; a longer one with the time since when', async () => {
  await show(<p />);
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  await show(<ConnectionBanner />);
  const lostAtMs = Date.now();
  act(() => useLink.setState({ phase: 'lost', lostAtMs, retryAtMs: null }));
  const banners = (): HTMLElement[] => screen.queryAllByTestId('connection-banner');
  await act(() => vi.advanceTimersByTimeAsync(1_400));
  expect(banners()).toEqual([]);
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect(banners().at(-1)?.textContent).toContain(formatClock(lostAtMs));
  act(() => useLink.setState({ phase: 'live', lostAtMs: null, retryAtMs: null }));
  expect(banners()).toEqual([]);
});

test('the user menu has the user’s name, and the way to the profile', async () => {
  const { user } = await portal(GROUPS);
  expect(screen.getByRole('button', { name: 'User menu: Tester' })).toBeTruthy();
  await user.click(screen.getByTestId('user-menu'));
  expect((await screen.findByTestId('profile')).getAttribute('href')).toBe('/user/me');
});

test('a display size holds at once and is kept in the cloud beside other preferences', async () => {
  kept.options = { preferences: { size: 'small' } };
  const { user } = await portal(GROUPS);
  await waitFor(() => expect(usePreferences.getState().size).toBe('small'));
  await user.click(screen.getByTestId('user-menu'));
  expect((await screen.findByTestId('size-small')).getAttribute('aria-checked')).toBe('true');
  await user.click(screen.getByTestId('size-mini'));
  await waitFor(() => expect(saved[0]?.body).toEqual({ name: 'preferences', value: { size: 'mini' } }));
  expect(screen.getByTestId('size-mini').getAttribute('aria-checked')).toBe('true');
});

test('a display size that the cloud does not take is taken back and told', async () => {
  refuse<PutUserOptionData>('put', OPTION, { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user } = await portal(GROUPS);
  await user.click(screen.getByTestId('user-menu'));
  await user.click(await screen.findByTestId('size-mini'));
  expect(await screen.findByText(/disk full/)).toBeTruthy();
  await waitFor(() => expect(usePreferences.getState().size).toBe('medium'));
});

test('the language is changed by who may, and the menu follows', async () => {
  const { user } = await portal(CAMERAS, { ...EVERYTHING, permissions: [...MAY, 'i18n'] });
  await user.click(screen.getByTestId('language-switch'));
  await user.click(await screen.findByTestId('language-zh'));
  await waitFor(() => expect(screen.getByRole('navigation', { name: '主菜单' })).toBeTruthy());
  expect(tabs()).not.toContain('Cameras');
});

test('who may not change the language has no switch for it', async () => {
  await portal(CAMERAS);
  expect(screen.queryByTestId('language-switch')).toBeNull();
});

test('four quick links stand in the bar, the others in a menu; pages of the portal open as tabs', async () => {
  const link = (text: string, url: string, position: number, newWindow = false) => ({
    text,
    url,
    icon: 'map',
    newWindow,
    position,
  });
  kept.options = {
    user_config: [
      link('Out', 'https://out.example/', 0, true),
      link('Cams', CAMERAS, 1),
      link('Same', 'https://same.example/', 2),
      link('Same', 'https://same.example/', 3),
      link('Plans', PLANS, 4),
    ],
  };
  const { user } = await portal(GROUPS);
  const bar = await screen.findByTestId('quick-entries');
  const links = within(bar).getAllByRole('link');
  expect(links.map(({ textContent }) => textContent)).toEqual(['Out', 'Cams', 'Same', 'Same']);
  expect(links[0]?.getAttribute('rel')).toBe('noopener noreferrer');
  expect(links[2]?.getAttribute('target')).toBeNull();
  await user.click(links[1] as HTMLElement);
  await isAt(CAMERAS, 'Cameras');
  await user.click(within(bar).getByRole('button', { name: 'More quick links' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Plans' }));
  await isAt(PLANS, 'Maintenance plans');
});

test('errors that were caught are counted and listed until they are cleared', async () => {
  const { user } = await portal(GROUPS);
  expect(screen.queryByTestId('error-log')).toBeNull();
  act(() => useErrorLog.getState().capture(new Error('out of range'), 'a test'));
  await user.click(await screen.findByRole('button', { name: 'Error log (1)' }));
  expect((await screen.findByTestId('error-entry')).textContent).toContain('out of range');
  expect(within(screen.getByRole('dialog')).getByRole('button', { name: 'Close' })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Clear' }));
  await waitFor(() => expect(screen.queryByTestId('error-entry')).toBeNull());
  expect(screen.queryByTestId('error-log')).toBeNull();
});

test('on a phone the menus lie in a drawer, which closes when one is followed', async () => {
  vi.stubGlobal('matchMedia', (media: string) => ({
    media,
    matches: media.includes('width <'),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
  const { user } = await portal(PLANS);
  expect(screen.queryByTestId('sidebar')).toBeNull();
  expect(screen.queryByTestId('top-user')).toBeNull();
  await user.click(screen.getByTestId('open-menu'));
  const drawer = await screen.findByRole('dialog');
  expect(within(drawer).getByRole('button', { name: 'Close' })).toBeTruthy();
  await user.click(within(drawer).getByTestId('section-user'));
  await user.click(within(drawer).getByRole('link', { name: 'Permission groups' }));
  await isAt(GROUPS, 'Permission groups');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});
