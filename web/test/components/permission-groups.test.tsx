import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type {
  ChangeGroupData,
  ChangeGroupResponse,
  CreateGroupData,
  CreateGroupResponse,
  DeleteGroupData,
  DeleteGroupResponse,
  GroupRow,
  ListGroupsData,
  ListGroupsResponse,
  ListPermissionsData,
  ListPermissionsResponse,
} from '@/api/generated/types.gen';
import GroupList from '@/features/users/screens/GroupList';
import { usePreferences } from '@/lib/preferences';
import { answer, refuse } from './network';
import type { Call } from './network';
import { field, node, nodes, permission, query } from './permission-fixtures';
import { show } from './render';
import type { Rendered } from './render';

const GROUPS = '/api/v1/auth/group';
const ONE_GROUP = '/api/v1/auth/group/{group_id}';
const MAY = ['auth.Group/index', 'Device', 'Device/cmd'];

const PERMISSIONS = [
  permission('Device'),
  permission('Device/cmd', 'Device', { kind: 'action' }),
  permission('Device/restart', 'Device', { kind: 'action', types: [1, 2] }),
  permission('Wall', '', { announced: true }),
];

function group(changes: Partial<GroupRow> = {}): GroupRow {
  return {
    group_id: 7,
    title: 'Operators',
    user_type: 2,
    permissions: ['Device', 'Device/cmd'],
    remark: 'night shift',
    users: 0,
    owner_id: 1,
    owner_name: 'tester',
    created_ms: 0,
    ...changes,
  };
}

let listed: Call[];
let created: Call[];

beforeEach(() => {
  usePreferences.setState({ pageSize: 20 });
  answer<ListPermissionsData, ListPermissionsResponse>('get', '/api/v1/auth/permission', { rows: PERMISSIONS });
  created = answer<CreateGroupData, CreateGroupResponse>('post', GROUPS, group({ group_id: 8 }));
});

const rows = (): HTMLElement[] => screen.queryAllByTestId('groups-row');
const isOff = (element: HTMLElement): boolean => element.getAttribute('aria-disabled') === 'true';

async function groups(given: GroupRow[], who: Parameters<typeof show>[1] = {}, total = given.length) {
  listed = answer<ListGroupsData, ListGroupsResponse>('get', GROUPS, { rows: given, total });
  const page = await show(<GroupList />, { permissions: MAY, ...who });
  await waitFor(() => expect(rows()).toHaveLength(given.length));
  return page;
}

test('a row counts the permissions that its type can have and the platform offers', async () => {
  await groups([
    group({ permissions: ['Device', 'Device/cmd', 'Wall', 'Gone'] }),
    group({ group_id: 8, user_type: 3, permissions: ['Device/restart'] }),
  ]);
  await waitFor(() => expect(rows()[0]?.textContent).toContain('2 / 3'));
  expect(rows()[1]?.textContent).toContain('0 / 2');
  expect(rows()[0]?.textContent).toContain('Agent');
});

test('permissions of announced pages count once the platform shows them', async () => {
  await groups([group({ permissions: ['Device', 'Wall'] })], { flags: { announced: 1 } });
  await waitFor(() => expect(rows()[0]?.textContent).toContain('2 / 4'));
});

test('search and type stand in the address and go to the cloud', async () => {
  const { user } = await groups([group()], { at: '/?type=3' });
  expect(Object.fromEntries(listed[0]?.query ?? [])).toEqual({ user_type: '3', page: '1', limit: '20' });
  await user.click(field('filter-type'));
  await user.click(await screen.findByRole('option', { name: 'Agent', hidden: true }));
  await waitFor(() => expect(listed.at(-1)?.query.get('user_type')).toBe('2'));
  await user.type(field('filter-search'), ' oper ');
  await waitFor(() => expect(listed.at(-1)?.query.get('search')).toBe('oper'));
  expect(query()).toEqual({ type: '2', search: 'oper' });
});

test('another page is asked for, and a filter starts at the first one again', async () => {
  const { user } = await groups([group()], { at: '/?page=2' }, 45);
  expect(listed[0]?.query.get('page')).toBe('2');
  expect(screen.getByTestId('paging').textContent).toContain('21–40 of 45');
  await user.click(screen.getByLabelText('Page 3'));
  await waitFor(() => expect(listed.at(-1)?.query.get('page')).toBe('3'));
  await user.click(field('filter-type'));
  await user.click(await screen.findByRole('option', { name: 'Agent', hidden: true }));
  await waitFor(() => expect(listed.at(-1)?.query.get('user_type')).toBe('2'));
  expect(listed.at(-1)?.query.get('page')).toBe('1');
});

test('no groups at all and none that match are told apart', async () => {
  const { unmount } = await groups([]);
  expect((await screen.findByTestId('empty-state')).textContent).toContain('No permission groups yet');
  unmount();
  const { user } = await groups([], { at: '/?search=zzz' });
  expect((await screen.findByTestId('empty-state')).textContent).toContain('Nothing matches');
  await user.click(screen.getByTestId('table-clear'));
  expect((await screen.findByTestId('empty-state')).textContent).toContain('No permission groups yet');
  expect(query()).toEqual({});
});

test('groups that cannot be loaded say why; who may not see them is told so', async () => {
  refuse<ListGroupsData>('get', GROUPS, { status: 500, code: 20_000, data: { message: 'disk full' } });
  const { user, unmount } = await show(<GroupList />, { permissions: MAY });
  const trouble = await screen.findByTestId('error-state');
  expect(trouble.textContent).toContain('disk full');
  answer<ListGroupsData, ListGroupsResponse>('get', GROUPS, { rows: [group()], total: 1 });
  await user.click(within(trouble).getByRole('button'));
  await waitFor(() => expect(rows()).toHaveLength(1));
  unmount();
  refuse<ListGroupsData>('get', GROUPS, { status: 403, code: 10_001 });
  await show(<GroupList />, { permissions: MAY, at: '/?page=2' });
  expect((await screen.findByTestId('empty-state')).textContent).toContain('You have no permission for this list');
});

test('without the permission nothing of a group is offered', async () => {
  const { user } = await groups([group()], { permissions: [] });
  expect(isOff(field('groups-create'))).toBe(true);
  expect(isOff(field('row-edit'))).toBe(true);
  expect(isOff(field('row-remove'))).toBe(true);
  expect(screen.queryByTestId('row-copy')).toBeNull();
  await user.click(field('groups-create'));
  await user.click(field('row-edit'));
  act(() => rows()[0]?.focus());
  await user.keyboard('{Delete}');
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a group of one’s own type is not changed, and one with users is not deleted: both say why', async () => {
  await groups([group({ user_type: 1 }), group({ group_id: 8, users: 3 })]);
  const [own, below] = screen.getAllByTestId('row-edit') as [HTMLElement, HTMLElement];
  expect([isOff(own), isOff(below)]).toEqual([true, false]);
  expect(own.getAttribute('aria-label')).toContain('not for a user type below yours');
  const [unused, used] = screen.getAllByTestId('row-remove') as [HTMLElement, HTMLElement];
  expect([isOff(unused), isOff(used)]).toEqual([false, true]);
  expect(used.getAttribute('aria-label')).toContain('Users who have this permission group: 3');
});

async function added(page?: Rendered): Promise<Rendered> {
  const { user, ...rest } = page ?? (await groups([]));
  await user.click(field('groups-create'));
  await screen.findByTestId('form-drawer');
  await waitFor(() => expect(nodes().length).toBeGreaterThan(0));
  return { user, ...rest };
}

test('a group needs a title; what is ticked goes along with what is above it', async () => {
  const { user } = await added();
  await user.type(field('group-title'), '   ');
  await user.click(field('form-save'));
  await waitFor(() => expect(field('group-title').getAttribute('aria-invalid')).toBe('true'));
  expect(created).toEqual([]);
  await user.clear(field('group-title'));
  await user.type(field('group-title'), ' Fitters ');
  await user.click(within(node('Device')).getByTestId('tree-toggle'));
  await user.click(within(node('Device/cmd')).getByRole('checkbox'));
  expect(screen.getByTestId('permission-count').textContent).toBe('2 of 3 selected');
  await user.click(field('form-save'));
  await waitFor(() => expect(created).toHaveLength(1));
  const { permissions, ...body } = (created[0] as Call).body as { permissions: string[] };
  expect(permissions.toSorted()).toEqual(['Device', 'Device/cmd']);
  expect(body).toEqual({ title: 'Fitters', user_type: 2, remark: '' });
  await waitFor(() => expect(screen.queryByTestId('form-drawer')).toBeNull());
});

test('only types below one’s own are offered, and the tree follows the type', async () => {
  const { user } = await added();
  expect(nodes()).not.toContain('Wall');
  await user.click(within(node('Device')).getByTestId('tree-toggle'));
  expect(nodes()).toContain('Device/restart');
  await user.click(field('group-type'));
  await waitFor(() => expect(field('group-type').getAttribute('aria-controls')).not.toBeNull());
  const list = document.getElementById(field('group-type').getAttribute('aria-controls') as string) as HTMLElement;
  const offered = await within(list).findAllByRole('option', { hidden: true });
  const words = offered.map(({ textContent }) => textContent);
  expect(words).toContain('Enterprise');
  expect(words).not.toContain('Platform');
  expect(words).not.toContain('Factory');
  await user.click(offered[words.indexOf('Enterprise')] as HTMLElement);
  await user.click(within(node('Device')).getByTestId('tree-toggle'));
  expect(nodes()).toEqual(['Device', 'Device/cmd']);
});

test('all and none tick all that is offered; what one does not have oneself is pointed out', async () => {
  const { user } = await added();
  const drawer = within(screen.getByTestId('form-drawer'));
  expect(drawer.queryByRole('note')).toBeNull();
  await user.click(field('permission-all'));
  expect(screen.getByTestId('permission-count').textContent).toBe('3 of 3 selected');
  expect(drawer.getByRole('note').textContent).toContain('1 of these you do not have yourself');
  await user.click(drawer.getByRole('button', { name: 'None' }));
  expect(screen.getByTestId('permission-count').textContent).toBe('0 of 3 selected');
  expect(drawer.queryByRole('note')).toBeNull();
});

test('an edit keeps permissions that are not offered now, and the type of a group in use', async () => {
  const changed = answer<ChangeGroupData, ChangeGroupResponse>('put', ONE_GROUP, group());
  const { user } = await groups([group({ users: 2, permissions: ['Device', 'Wall'] })]);
  await user.click(field('row-edit'));
  await screen.findByTestId('permission-tree');
  expect(field('group-type').disabled).toBe(true);
  expect(screen.getByTestId('form-drawer').textContent).toContain('in use (users: 2)');
  await user.click(within(screen.getByTestId('form-drawer')).getByRole('button', { name: 'None' }));
  await user.click(field('form-save'));
  await waitFor(() => expect(changed).toHaveLength(1));
  expect(((changed[0] as Call).body as { permissions: string[] }).permissions).toEqual(['Wall']);
});

test('a copy is a new group with a name of its own that may be saved as it is', async () => {
  const { user } = await groups([group()]);
  await user.click(field('row-copy'));
  await screen.findByTestId('permission-tree');
  expect(field('group-title').value).toBe('Operators copy');
  await user.click(field('form-save'));
  await waitFor(() =>
    expect(created[0]?.body).toEqual({
      title: 'Operators copy',
      user_type: 2,
      permissions: ['Device', 'Device/cmd'],
      remark: 'night shift',
    }),
  );
});

test('a refused group says why at its field, else below the form', async () => {
  const { user } = await added();
  await user.type(field('group-title'), 'Fitters');
  refuse<CreateGroupData>('post', GROUPS, {
    status: 400,
    code: 20_000,
    data: { field: 'permissions', reason: 'group.not_yours' },
  });
  await user.click(field('form-save'));
  expect(await screen.findByText(/a permission that you do not have yourself and cannot grant/)).toBeTruthy();
  expect(screen.queryByTestId('form-failure')).toBeNull();
  refuse<CreateGroupData>('post', GROUPS, { status: 400, code: 20_000, data: { message: 'no database' } });
  await user.click(field('form-save'));
  expect((await screen.findByTestId('form-failure')).textContent).toContain('no database');
  expect(field('group-title').value).toBe('Fitters');
});

test('permissions that cannot be read do not leave an empty tree', async () => {
  refuse<ListPermissionsData>('get', '/api/v1/auth/permission', {
    status: 500,
    code: 20_000,
    data: { message: 'no rules' },
  });
  const { user } = await groups([]);
  await user.click(field('groups-create'));
  expect(within(await screen.findByTestId('form-drawer')).getByTestId('error-state').textContent).toContain('no rules');
  expect(screen.queryByTestId('permission-tree')).toBeNull();
});

test('a group is deleted after a question, and made again when that is taken back', async () => {
  const deleted = answer<DeleteGroupData, DeleteGroupResponse>('delete', ONE_GROUP, null);
  const { user } = await groups([group()]);
  await user.click(field('row-remove'));
  expect((await screen.findByTestId('confirm-dialog')).textContent).toContain('Delete Operators?');
  await user.click(field('confirm-no'));
  await waitFor(() => expect(screen.queryByTestId('confirm-dialog')).toBeNull());
  expect(deleted).toEqual([]);
  await user.click(field('row-remove'));
  await user.click(await screen.findByTestId('confirm-yes'));
  await waitFor(() => expect(deleted).toHaveLength(1));
  await user.click(await screen.findByTestId('undo'));
  await waitFor(() => expect(created).toHaveLength(1));
  expect(created[0]?.body).toEqual({
    title: 'Operators',
    user_type: 2,
    permissions: ['Device', 'Device/cmd'],
    remark: 'night shift',
  });
});

test('a deletion that is refused leaves the row and says why', async () => {
  refuse<DeleteGroupData>('delete', ONE_GROUP, { status: 409, code: 20_000, data: { message: 'still in use' } });
  const { user } = await groups([group()]);
  await user.click(field('row-remove'));
  await user.click(await screen.findByTestId('confirm-yes'));
  expect(await screen.findByText(/still in use/)).toBeTruthy();
  expect(rows()).toHaveLength(1);
  expect(screen.queryByTestId('undo')).toBeNull();
});
