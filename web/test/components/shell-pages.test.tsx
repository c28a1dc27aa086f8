import { act, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ListTriggersData, ListTriggersResponse, LogoutData, LogoutResponse } from '@/api/generated/types.gen';
import { useOpened } from '@/app/opened';
import { session } from '@/lib/session';
import { unsaved } from '@/lib/unsaved';
import { answer } from './network';
import {
  CAMERAS,
  current,
  endShell,
  EVERYTHING,
  FAULTS,
  GROUPS,
  isAt,
  MAY,
  menu,
  nextUser,
  path,
  PLANS,
  portal,
  router,
  RULES,
  startShell,
  tabs,
} from './shell-fixtures';

beforeEach(startShell);

afterEach(endShell);

const tab = (title: string): HTMLElement => within(screen.getByTestId('tab-strip')).getByRole('link', { name: title });
const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(name);

async function through(user: UserEvent, ...addresses: string[]): Promise<void> {
  for (const address of addresses) {
    await act(() => router.navigate({ href: address } as never));
    await waitFor(() => expect(useOpened.getState().activeId).toBe(address));
  }
  await user.tab();
}

test('an entry opens a page beside those that are open; its title is the window’s', async () => {
  const { user } = await portal(GROUPS);
  await screen.findByTestId('empty-state');
  expect(tabs()).toEqual(['Permission groups']);
  await user.click(within(menu()).getByRole('link', { name: 'Cameras' }));
  await isAt(CAMERAS, 'Cameras');
  expect(tabs()).toEqual(['Permission groups', 'Cameras']);
  expect(document.title).toBe('Cameras · Device Monitoring Cloud');
  await user.click(tab('Permission groups'));
  await isAt(GROUPS, 'Permission groups');
  expect(document.title).toBe('Permission groups · Device Monitoring Cloud');
});

test('a page in front is closed for its neighbour, others leave it in front', async () => {
  const { user } = await portal(GROUPS);
  await through(user, CAMERAS, PLANS, FAULTS, PLANS);
  await user.click(screen.getByRole('button', { name: 'Close Maintenance plans' }));
  await isAt(FAULTS, 'Faults');
  await user.click(screen.getByRole('button', { name: 'Close Cameras' }));
  await waitFor(() => expect(tabs()).toEqual(['Permission groups', 'Faults']));
  expect(current()).toBe('Faults');
  await user.click(screen.getByRole('button', { name: 'Close Faults' }));
  await isAt(GROUPS, 'Permission groups');
});

test('the last page leads to the landing page', async () => {
  const { user } = await portal(CAMERAS);
  await user.click(screen.getByRole('button', { name: 'Close Cameras' }));
  await isAt(GROUPS, 'Permission groups');
  expect(tabs()).toEqual(['Permission groups']);
});

test('other pages, and all of them, are closed from the menu of the strip', async () => {
  const { user } = await portal(GROUPS);
  await through(user, CAMERAS, PLANS, FAULTS);
  await user.click(tab('Cameras'));
  await isAt(CAMERAS, 'Cameras');
  await user.click(screen.getByTestId('tab-actions'));
  await user.click(await screen.findByTestId('tab-close-others'));
  await waitFor(() => expect(tabs()).toEqual(['Cameras']));
  expect(path()).toBe(CAMERAS);
  await user.click(screen.getByTestId('tab-actions'));
  await user.click(await screen.findByTestId('tab-close-all'));
  await isAt(GROUPS, 'Permission groups');
  expect(tabs()).toEqual(['Permission groups']);
});

test('arrow keys move along the strip, and Delete closes a page and keeps the place', async () => {
  const { user } = await portal(GROUPS);
  await through(user, CAMERAS, PLANS);
  act(() => tab('Maintenance plans').focus());
  await user.keyboard('{ArrowLeft}');
  expect(document.activeElement).toBe(tab('Cameras'));
  expect(path()).toBe(PLANS);
  await user.keyboard('{ArrowRight}{ArrowLeft}{Delete}');
  await waitFor(() => expect(tabs()).toEqual(['Permission groups', 'Maintenance plans']));
  await waitFor(() => expect(document.activeElement).toBe(tab('Maintenance plans')));
  expect(path()).toBe(PLANS);
});

test('the right button on a page behind brings it to the front and opens the menu', async () => {
  const { user } = await portal(GROUPS);
  await through(user, CAMERAS);
  await user.pointer({ keys: '[MouseRight]', target: tab('Permission groups') });
  await isAt(GROUPS, 'Permission groups');
  await user.click(await screen.findByTestId('tab-close'));
  await isAt(CAMERAS, 'Cameras');
  expect(tabs()).toEqual(['Cameras']);
});

/** A page with something typed and not saved. */
async function typed(): Promise<{ user: UserEvent }> {
  const { user } = await portal(RULES);
  await user.type(await screen.findByTestId('rule-en'), 's!');
  await waitFor(() => expect(unsaved.losesWith(RULES)).toBe(true));
  return { user };
}

test('what is typed stays while another page is in front', async () => {
  const { user } = await typed();
  await user.click(within(menu()).getByRole('link', { name: 'Cameras' }));
  await isAt(CAMERAS, 'Cameras');
  expect(screen.queryByTestId('confirm-dialog')).toBeNull();
  await user.click(tab('Permission rules'));
  await isAt(RULES, 'Permission rules');
  expect(field('rule-en').value).toBe('Devices!');
});

test('a page with something typed is closed after a question that names it', async () => {
  const { user } = await typed();
  await user.click(screen.getByRole('button', { name: 'Close Permission rules' }));
  const dialog = await screen.findByTestId('confirm-dialog');
  expect(dialog.textContent).toContain('Your entries have not been saved: Permission rules');
  await user.click(screen.getByTestId('confirm-no'));
  await waitFor(() => expect(screen.queryByTestId('confirm-dialog')).toBeNull());
  expect(field('rule-en').value).toBe('Devices!');
  await user.click(screen.getByRole('button', { name: 'Close Permission rules' }));
  await user.click(await screen.findByTestId('confirm-yes'));
  await isAt(GROUPS, 'Permission groups');
  expect(tabs()).toEqual(['Permission groups']);
});

test('a page is made anew by a refresh, which asks before it loses what was typed', async () => {
  const { user } = await typed();
  await user.click(screen.getByTestId('tab-actions'));
  await user.click(await screen.findByTestId('tab-refresh'));
  await user.click(await screen.findByTestId('confirm-no'));
  expect(field('rule-en').value).toBe('Devices!');
  await waitFor(() => expect(screen.queryByTestId('confirm-dialog')).toBeNull());
  await user.click(screen.getByTestId('tab-actions'));
  await user.click(await screen.findByTestId('tab-refresh'));
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(field('rule-en').value).toBe('Device'));
  expect(unsaved.losesWith(RULES)).toBe(false);
});

test('pages of before a reload are in the strip, those that the user may not open any more are not', async () => {
  const page = (address: string) => ({ path: address, search: {}, detail: '' });
  sessionStorage.setItem(
    'edge.tabs',
    JSON.stringify({ user: nextUser + 1, tabs: [page(CAMERAS), page('/user/authuser'), page(PLANS)] }),
  );
  await portal(GROUPS);
  expect(tabs()).toEqual(['Cameras', 'Maintenance plans', 'Permission groups']);
  expect(current()).toBe('Permission groups');
  expect(screen.queryByTestId('not-yet')).toBeNull();
});

test('an address that is none is told, and leads to the landing page', async () => {
  await portal('/nobody/knows');
  await isAt(GROUPS, 'Permission groups');
  expect(await screen.findByText('Page /nobody/knows not found; showing the start page')).toBeTruthy();
});

test('a page that the user may not open is not shown, and says which it was', async () => {
  await portal(GROUPS);
  await act(() => router.navigate({ href: '/user/authuser' } as never));
  expect(await screen.findByRole('heading', { name: 'No permission' })).toBeTruthy();
  expect(router.history.location.href).toBe('/401?from=%2Fuser%2Fauthuser');
});

test('a session that ended is told; without anything typed one signs in again or stays', async () => {
  const { user } = await portal(GROUPS);
  act(() => session.setState({ isExpired: true }));
  const dialog = await screen.findByRole('dialog', { name: 'Session expired' });
  expect(within(dialog).queryByTestId('session-expired-unsaved')).toBeNull();
  expect(within(dialog).queryByTestId('session-expired-beside')).toBeNull();
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(session.getState().tokens).not.toBeNull();
});

test('with something typed a session that ended is renewed in a window beside', async () => {
  const open = vi.spyOn(window, 'open').mockReturnValue(null);
  const { user } = await typed();
  act(() => session.setState({ isExpired: true }));
  expect((await screen.findByTestId('session-expired-unsaved')).textContent).toContain('unsaved changes');
  expect(screen.getByTestId('session-expired-ok').textContent).toBe('Discard and sign in');
  await user.click(screen.getByTestId('session-expired-beside'));
  expect(open).toHaveBeenCalledWith('/login', '_blank', 'noopener');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(field('rule-en').value).toBe('Devices!');
  open.mockRestore();
});

// The last test: nobody asks for unsaved work once the user has agreed to leave.
test('a sign-out asks before it loses what was typed; then it ends the session and forgets the pages', async () => {
  const ended = answer<LogoutData, LogoutResponse>('post', '/api/v1/login/logout', null as LogoutResponse['data']);
  const { user } = await typed();
  await user.click(screen.getByTestId('user-menu'));
  await user.click(await screen.findByTestId('sign-out'));
  expect((await screen.findByTestId('confirm-dialog')).textContent).toContain('They are lost when you sign out.');
  await user.click(screen.getByTestId('confirm-no'));
  await waitFor(() => expect(screen.queryByTestId('confirm-dialog')).toBeNull());
  expect(ended).toEqual([]);
  expect(session.getState().tokens).not.toBeNull();
  await user.click(screen.getByTestId('user-menu'));
  await user.click(await screen.findByTestId('sign-out'));
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(ended).toHaveLength(1));
  await waitFor(() => expect(session.getState().tokens).toBeNull());
  expect(session.getState().permissions).toEqual([]);
  expect(sessionStorage.getItem('edge.tabs')).toBeNull();
});

test('a trigger that is given up closes its page, and asks before what was typed is lost', async () => {
  answer<ListTriggersData, ListTriggersResponse>('get', '/api/v1/trigger', { rows: [], total: 0 });
  const may = { ...EVERYTHING, permissions: [...MAY, 'Trigger/index'] };
  const { user } = await portal('/alarm/trigger/addTrigger', may);
  await through(user, CAMERAS, '/alarm/trigger/addTrigger');
  await user.type(await screen.findByTestId('trigger-title'), 'Pump');
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await user.click(await screen.findByTestId('confirm-no'));
  expect(tabs()).toEqual(['New trigger', 'Cameras']);
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await user.click(await screen.findByTestId('confirm-yes'));
  await isAt('/alarm/trigger', 'Triggers');
  expect(tabs()).toEqual(['Cameras', 'Triggers']);
  await act(() => router.navigate({ href: '/alarm/trigger/addTrigger' } as never));
  expect((await screen.findByTestId<HTMLInputElement>('trigger-title')).value).toBe('');
});
