import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { usePreferences } from '@/lib/preferences';
import { ListPage } from '../blocks/ListPage';
import { resetPeople } from '../blocks/people';
import { show } from './render';
import type { Rendered } from './render';

const MAY = ['auth.User'];
const rows = (): HTMLElement[] => screen.queryAllByTestId('people-row');

beforeEach(() => {
  resetPeople();
  usePreferences.setState({ pageSize: 10 });
});

async function opened(permissions: readonly string[] = MAY, at = '/'): Promise<Rendered> {
  const page = await show(<ListPage />, { permissions, at });
  await waitFor(() => expect(rows()).toHaveLength(10));
  return page;
}

const text = (element: HTMLElement | undefined): string => element?.textContent ?? '';
const firstHas = (name: string): Promise<void> => waitFor(() => expect(text(rows()[0])).toContain(name));
const query = (): Record<string, string> => Object.fromEntries(new URLSearchParams(window.location.search));

test('order, page and filters stand in the address, and are read from it', async () => {
  const { user, unmount } = await opened();
  const head = screen.getByRole('columnheader', { name: /Name/ });
  await user.click(within(head).getByRole('button', { name: /Name/ }));
  await firstHas('user00021');
  expect(head.getAttribute('aria-sort')).toBe('descending');
  await user.click(screen.getByLabelText('Page 2'));
  await firstHas('user00011');
  expect(screen.getByTestId('people-table').getAttribute('aria-rowcount')).toBe('22');
  expect(rows()[0]?.getAttribute('aria-rowindex')).toBe('12');
  expect(query()).toEqual({ sort: '-name', page: '2' });
  const address = window.location.search;
  unmount();
  const again = await opened(MAY, `/${address}`);
  await firstHas('user00011');
  await again.user.type(screen.getByTestId('filter-search'), '  user0001 ');
  await firstHas('user00019');
  expect(query().page).toBeUndefined();
  await again.user.click(within(screen.getByTestId('filter-status')).getByText('Off'));
  await waitFor(() => expect(rows()).toHaveLength(1));
  await again.user.type(screen.getByTestId('filter-search'), 'zzz');
  expect(text(await screen.findByTestId('empty-state'))).toContain('Nothing matches the filter');
  await again.user.click(screen.getByTestId('table-clear'));
  await waitFor(() => expect(rows()).toHaveLength(10));
});

test('the last row of a page goes: the page before is shown', async () => {
  const { user } = await opened();
  await user.click(screen.getByLabelText('Page 3'));
  await waitFor(() => expect(rows()).toHaveLength(1));
  await user.click(screen.getByTestId('row-remove'));
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(rows()).toHaveLength(10));
  expect(query().page).toBe('2');
});

test('rows are selected by box, range and key, over pages, and removed together', async () => {
  const { user } = await opened();
  const boxes = screen.getAllByTestId('people-row').map((row) => within(row).getByRole('checkbox'));
  await user.click(boxes[2] as HTMLElement);
  await user.keyboard('{Shift>}');
  await user.click(boxes[5] as HTMLElement);
  await user.keyboard('{/Shift}');
  expect(text(screen.getByTestId('selection-bar'))).toContain('4 selected');
  act(() => rows()[0]?.focus());
  await user.keyboard(' ');
  expect(text(screen.getByTestId('selection-bar'))).toContain('5 selected');
  await user.click(screen.getByLabelText('Page 2'));
  await firstHas('user00011');
  expect(text(screen.getByTestId('selection-bar'))).toContain('5 selected');
  await user.click(screen.getByTestId('bulk-remove'));
  expect(text(await screen.findByTestId('confirm-dialog'))).toContain('Delete 5?');
  await user.click(screen.getByTestId('confirm-yes'));
  await waitFor(() => expect(screen.queryByTestId('selection-bar')).toBeNull());
  await waitFor(() => expect(text(screen.getByTestId('paging'))).toContain('of 16'));
});

test('faults and refusals stand at their fields, what has none below the form; leaving asks', async () => {
  const { user } = await opened();
  await user.click(screen.getByTestId('people-create'));
  const name = await screen.findByTestId('person-name');
  const fill = async (value: string): Promise<void> => {
    await user.clear(name);
    await user.type(name, value);
  };
  await fill('no spaces');
  await user.click(screen.getByTestId('form-save'));
  await waitFor(() => expect(name.getAttribute('aria-invalid')).toBe('true'));
  await waitFor(() => expect(document.activeElement).toBe(name));
  await fill('user00003');
  await user.click(screen.getByTestId('form-save'));
  const drawer = screen.getByTestId('form-drawer');
  await waitFor(() => expect(text(drawer)).toContain('not taken by another user'));
  await waitFor(() => expect(document.activeElement).toBe(name));
  expect(screen.queryByTestId('form-failure')).toBeNull();
  await fill('broken');
  expect(text(drawer)).not.toContain('not taken by another user');
  await user.click(screen.getByTestId('form-save'));
  expect(text(await screen.findByTestId('form-failure'))).toBe('The mail server does not answer');
  await user.keyboard('{Escape}');
  expect(text(await screen.findByTestId('confirm-dialog'))).toContain('Unsaved changes');
  await user.click(screen.getByTestId('confirm-no'));
  expect((name as HTMLInputElement).value).toBe('broken');
  await user.keyboard('{Escape}');
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(screen.queryByTestId('form-drawer')).toBeNull());
});

test('who may not sees why, and no key does it either', async () => {
  const { user } = await opened([]);
  const create = screen.getByTestId('people-create');
  expect(create.getAttribute('aria-disabled')).toBe('true');
  await user.click(create);
  expect(screen.queryByTestId('form-drawer')).toBeNull();
  act(() => create.focus());
  expect(text(await screen.findByRole('tooltip'))).toContain('Your account has no permission for this');
  expect(screen.queryByTestId('row-copy')).toBeNull();
  act(() => rows()[0]?.focus());
  await user.keyboard('{Enter}{Delete}');
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a row that cannot be deleted says why', async () => {
  const { user } = await opened();
  const off = within(rows()[1] as HTMLElement).getByTestId('row-remove');
  expect(off.getAttribute('aria-label')).toBe('Delete: Has users below');
  await user.click(off);
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('create, edit and delete by keyboard; the deletion is taken back', async () => {
  const { user } = await opened();
  act(() => screen.getByTestId('people-create').focus());
  await user.keyboard('{Enter}');
  const name = await screen.findByTestId('person-name');
  await waitFor(() => expect(document.activeElement).toBe(name));
  await user.keyboard('aaron{Control>}s{/Control}');
  await waitFor(() => expect(screen.queryByTestId('form-drawer')).toBeNull());
  await firstHas('aaron');

  act(() => rows()[0]?.focus());
  await user.keyboard('{ArrowDown}{ArrowUp}');
  expect(document.activeElement).toBe(rows()[0]);
  await user.keyboard('{Enter}');
  expect(((await screen.findByTestId('person-name')) as HTMLInputElement).value).toBe('aaron');
  act(() => screen.getByTestId('person-phone').focus());
  await user.keyboard('123456{Enter}');
  await firstHas('123456');
  await waitFor(() => expect(screen.queryByTestId('form-drawer')).toBeNull());

  act(() => rows()[0]?.focus());
  await user.keyboard('{Delete}');
  expect(text(await screen.findByTestId('confirm-dialog'))).toContain('Delete aaron?');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('confirm-no')));
  await user.keyboard('{Tab}{Enter}');
  await firstHas('user00001');
  act(() => screen.getByTestId('undo').focus());
  await user.keyboard('{Enter}');
  await firstHas('aaron');
});
