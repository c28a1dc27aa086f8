import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  ChangeOwnPasswordData,
  ChangeOwnPasswordResponse,
  ChangeProfileData,
  ChangeProfileResponse,
  DeleteUserData,
  ListAllUsersData,
  ListAllUsersResponse,
  ListOwnLimitsData,
  ListOwnLimitsResponse,
  ListPermissionsData,
  ListPermissionsResponse,
  ListUsersData,
  ListUsersResponse,
  Profile,
  ResetPasswordData,
  ResetPasswordResponse,
  SetUserStatusData,
  SetUserStatusResponse,
  UserRow,
  WhyData,
  WhyResponse,
} from '@/api/generated/types.gen';
import { MyPassword } from '@/features/users/components/MyPassword';
import { MyProfile } from '@/features/users/components/MyProfile';
import ResetPassword from '@/features/users/components/ResetPassword';
import WhyDrawer from '@/features/users/components/WhyDrawer';
import UserList from '@/features/users/screens/UserList';
import { transformed } from '@/lib/password';
import { session } from '@/lib/session';
import { http, HttpResponse } from 'msw';
import { answer, network, refuse } from './network';
import { show } from './render';

const MAY = { permissions: ['auth.User'] };
const RESET_URL = '/api/v1/auth/user/{user_id}/password';
const PROFILE_URL = '/api/v1/auth/user/me';

function row(changes: Partial<UserRow> = {}): UserRow {
  return {
    user_id: 5,
    user_name: 'operator',
    nick_name: 'Op',
    user_type: 3,
    status: 1,
    user_expire: null,
    phone: '',
    email: '',
    group_id: null,
    group_title: null,
    parent_id: 1,
    parent_name: 'tester',
    bigscreen_title: '',
    created_ms: 0,
    last_login_ms: null,
    remark: '',
    limits: {},
    ...changes,
  };
}

const ME: Profile = {
  user_id: 1,
  user_name: 'tester',
  nick_name: 'Tester',
  user_type: 2,
  user_expire: null,
  phone: '',
  email: '',
  group_title: null,
  bigscreen_title: '',
  created_ms: 0,
  last_login_ms: null,
  demo: false,
};

const field = (name: string): HTMLInputElement => screen.getByTestId<HTMLInputElement>(name);
const isWrong = (name: string): Promise<void> =>
  waitFor(() => expect(field(name).getAttribute('aria-invalid')).toBe('true'));

beforeEach(() => {
  answer<ListOwnLimitsData, ListOwnLimitsResponse>('get', '/api/v1/auth/user/me/limits', [
    { resource: 'devices', limit: 10, bound: 10, used: 4 },
    { resource: 'projects', limit: null, bound: null, used: 2 },
  ] as unknown as ListOwnLimitsResponse['data']);
});

const done = vi.fn();

async function reset(): Promise<Awaited<ReturnType<typeof show>>> {
  done.mockReset();
  return show(<ResetPassword row={row()} onDone={done} onClose={() => undefined} />, MAY);
}

test('a password is made by the cloud unless one is given', async () => {
  const calls = answer<ResetPasswordData, ResetPasswordResponse>('post', RESET_URL, {
    password: 'made-1',
  } as unknown as ResetPasswordResponse['data']);
  const { user } = await reset();
  await user.click(field('reset-submit'));
  await waitFor(() => expect(done).toHaveBeenCalledWith({ name: 'operator', password: 'made-1' }));
  expect(calls[0]?.body).toEqual({ password: null });
});

test('a given password obeys the rules, and leaves the browser transformed', async () => {
  const calls = answer<ResetPasswordData, ResetPasswordResponse>('post', RESET_URL, {
    password: null,
  } as unknown as ResetPasswordResponse['data']);
  const { user } = await reset();
  await user.click(field('reset-given'));
  await user.type(field('reset-word'), 'short');
  await user.click(field('reset-submit'));
  expect(await screen.findByText('At least 8 characters')).toBeTruthy();
  await user.type(field('reset-word'), '密码密码');
  await user.click(field('reset-submit'));
  expect(await screen.findByText(/^Only letters, digits and/)).toBeTruthy();
  expect(calls).toEqual([]);
  await user.clear(field('reset-word'));
  await user.type(field('reset-word'), 'Valve#2026');
  await user.click(field('reset-submit'));
  await waitFor(() => expect(done).toHaveBeenCalledWith(null));
  expect(calls[0]?.body).toEqual({ password: transformed('Valve#2026') });
});

test('a reset that is refused is told in the dialog', async () => {
  refuse<ResetPasswordData>('post', RESET_URL, { status: 400, code: 20_000, data: { message: 'not below you' } });
  const { user } = await reset();
  await user.click(field('reset-submit'));
  expect(await screen.findByText(/not below you/)).toBeTruthy();
  expect(done).not.toHaveBeenCalled();
});

async function changePassword(old: string, next: string, again: string): Promise<void> {
  const { user } = await show(<MyPassword profile={ME} />);
  if (old !== '') await user.type(field('password-old'), old);
  await user.type(field('password-new'), next);
  await user.type(field('password-again'), again);
  await user.click(field('password-save'));
}

test.each([
  ['', 'Valve#2026', 'Valve#2026', 'password-old', 'Enter the current password'],
  ['Valve#2026', 'Valve#2026', 'Valve#2026', 'password-new', 'Same as the current password'],
  ['Old#20266', 'Valve#2026', 'Valve#2027', 'password-again', 'The two entries do not match'],
])('own password: %j, %j, %j is wrong at %s', async (old, next, again, _name, words) => {
  const calls = answer<ChangeOwnPasswordData, ChangeOwnPasswordResponse>('post', `${PROFILE_URL}/password`, null);
  await changePassword(old, next, again);
  expect(await screen.findByText(words)).toBeTruthy();
  expect(calls).toEqual([]);
});

test('own password: both words go out transformed, and the form is empty again', async () => {
  const calls = answer<ChangeOwnPasswordData, ChangeOwnPasswordResponse>('post', `${PROFILE_URL}/password`, null);
  await changePassword('Old#20266', 'Valve#2026', 'Valve#2026');
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(calls[0]?.body).toEqual({ old: transformed('Old#20266'), new: transformed('Valve#2026') });
  await waitFor(() => expect(field('password-old').value).toBe(''));
  expect(field('password-save').disabled).toBe(true);
});

test('who shows the portal to others changes neither password nor profile', async () => {
  await show(
    <>
      <MyPassword profile={{ ...ME, demo: true }} />
      <MyProfile profile={{ ...ME, demo: true }} />
    </>,
  );
  const inputs = ['password-old', 'password-new', 'password-again', 'me-nick', 'me-phone', 'me-email'].map(field);
  expect(inputs.every(({ disabled }) => disabled)).toBe(true);
});

test('of the profile only what was changed is sent, and the head of the page knows it', async () => {
  const calls = answer<ChangeProfileData, ChangeProfileResponse>('put', PROFILE_URL, { ...ME, nick_name: 'Li' });
  const { user } = await show(<MyProfile profile={ME} />);
  expect(field('me-save').disabled).toBe(true);
  await user.clear(field('me-nick'));
  await user.type(field('me-nick'), 'Li');
  await user.click(field('me-save'));
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(calls[0]?.body).toEqual({ nick_name: 'Li' });
  await waitFor(() => expect(session.getState().user?.nickName).toBe('Li'));
});

test.each([
  ['me-phone', '12a', 'Only digits, spaces, brackets, + and -'],
  ['me-email', 'nobody', 'Not a valid email address'],
])('profile: %s %j is refused with its rule', async (name, value, words) => {
  const calls = answer<ChangeProfileData, ChangeProfileResponse>('put', PROFILE_URL, ME);
  const { user } = await show(<MyProfile profile={ME} />);
  await user.type(field(name), value);
  await user.click(field('me-save'));
  await isWrong(name);
  expect(screen.getByText(words)).toBeTruthy();
  expect(calls).toEqual([]);
});

test('the profile says how much of its limits is used', async () => {
  await show(<MyProfile profile={ME} />);
  const devices = await screen.findByText(/4.*10/);
  expect(devices.tagName).toBe('DD');
});

test.each([
  [true, 'en', /^Allowed/],
  [false, 'zh', /^不可以/],
] as const)('why: the answer %s is given with its reasons (%s)', async (allowed, language, words) => {
  answer<ListPermissionsData, ListPermissionsResponse>('get', '/api/v1/auth/permission', {
    rows: [
      { code: 'auth', parent: '', zh: '用户', en: 'Users', types: [1], kind: 'menu', enabled: true, announced: false },
      {
        code: 'auth.User',
        parent: 'auth',
        zh: '列表',
        en: 'List',
        types: [1],
        kind: 'menu',
        enabled: true,
        announced: false,
      },
    ],
  });
  const calls = answer<WhyData, WhyResponse>('get', '/api/v1/auth/why', {
    allowed,
    reasons: [{ code: 'group', args: { title: 'Night shift' } }],
  } as unknown as WhyResponse['data']);
  const { user } = await show(<WhyDrawer row={row()} onClose={() => undefined} />, { ...MAY, language });
  expect(screen.queryByTestId('why-answer')).toBeNull();
  await user.click(field('why-permission'));
  await user.click(
    await screen.findByRole('option', { name: language === 'en' ? 'Users / List' : '用户 / 列表', hidden: true }),
  );
  const reply = await screen.findByTestId('why-answer');
  expect(reply.dataset.allowed).toBe(String(allowed));
  expect(reply.textContent).toMatch(words);
  expect(within(reply).getAllByRole('listitem')).toHaveLength(1);
  expect(calls[0]?.query.get('permission')).toBe('auth.User');
  expect(calls[0]?.query.get('user_id')).toBe('5');
});

function list(rows: UserRow[]): void {
  answer<ListUsersData, ListUsersResponse>('get', '/api/v1/auth/user', { rows, total: rows.length });
}

async function users(rows: UserRow[], who: Parameters<typeof show>[1] = MAY) {
  list(rows);
  const page = await show(<UserList />, who);
  await waitFor(() => expect(screen.getAllByTestId('users-row')).toHaveLength(rows.length));
  return page;
}

test('only who is below is changed: neither oneself nor somebody of the same type', async () => {
  await users([row({ user_id: 1, user_name: 'tester', user_type: 1 }), row({ user_id: 2, user_type: 1 }), row()]);
  const off = screen.getAllByTestId('row-remove').map((each) => each.getAttribute('aria-disabled') === 'true');
  expect(off).toEqual([true, true, false]);
});

test('a user is disabled and enabled from the menu of the row', async () => {
  const calls = answer<SetUserStatusData, SetUserStatusResponse>('post', '/api/v1/auth/user/{user_id}/status', row());
  const { user } = await users([row(), row({ user_id: 6, user_name: 'guest', status: 0 })]);
  const menus = screen.getAllByTestId('user-more');
  await user.click(menus[0] as HTMLElement);
  await user.click(await screen.findByTestId('user-status'));
  await waitFor(() => expect(calls[0]?.body).toEqual({ status: 0 }));
  await user.click(menus[1] as HTMLElement);
  await waitFor(() => expect(screen.getAllByTestId('user-status').at(-1)?.textContent).toBe('Enable'));
  await user.click(screen.getAllByTestId('user-status').at(-1) as HTMLElement);
  await waitFor(() => expect(calls[1]?.body).toEqual({ status: 1 }));
});

test('without the permission the menu of a row offers nothing', async () => {
  const { user } = await users([row()], { permissions: [] });
  expect(screen.getByTestId('users-create').getAttribute('aria-disabled')).toBe('true');
  await user.click(screen.getByTestId('user-more'));
  const entries = await screen.findAllByRole('menuitem', { hidden: true });
  expect(entries.map((each) => (each as HTMLButtonElement).disabled)).toEqual([true, true, true]);
});

test('who has users below is deleted once somebody takes them over', async () => {
  const heirs: (string | null)[] = [];
  network.use(
    http.delete('*/api/v1/auth/user/:id', ({ request }) => {
      const to = new URL(request.url).searchParams.get('to');
      heirs.push(to);
      return to === null
        ? HttpResponse.json(
            {
              code: 20_000,
              msg: '',
              data: { reason: 'user.has_below', arguments: { users: 2, devices: 3 }, users: 2, devices: 3 },
            },
            { status: 409 },
          )
        : HttpResponse.json({ code: 0, msg: '', data: null });
    }),
  );
  const searches = answer<ListAllUsersData, ListAllUsersResponse>('get', '/api/v1/auth/user/all', {
    rows: [row(), row({ user_id: 9, user_name: 'deputy' })],
    total: 2,
  });
  const { user } = await users([row()]);
  await user.click(screen.getByTestId('row-remove'));
  await user.click(await screen.findByTestId('confirm-yes'));
  const dialog = await screen.findByTestId('take-over');
  expect(field('take-over-confirm').disabled).toBe(true);
  await user.click(within(dialog).getByTestId('take-over-to'));
  await user.click(await screen.findByRole('option', { name: /deputy/, hidden: true }));
  expect(screen.queryByRole('option', { name: /operator/, hidden: true })).toBeNull();
  await user.click(field('take-over-confirm'));
  await waitFor(() => expect(heirs).toEqual([null, '9']));
  expect(searches.length).toBeGreaterThan(0);
});

test('a list that cannot be loaded says why', async () => {
  refuse<ListUsersData>('get', '/api/v1/auth/user', { status: 400, code: 20_000, data: { message: 'no database' } });
  await show(<UserList />, MAY);
  expect((await screen.findByTestId('error-state')).textContent).toContain('no database');
});

test('deleting a user that is refused for another reason is told, without a question', async () => {
  refuse<DeleteUserData>('delete', '/api/v1/auth/user/{user_id}', {
    status: 400,
    code: 20_000,
    data: { message: 'is signed in' },
  });
  const { user } = await users([row()]);
  await user.click(screen.getByTestId('row-remove'));
  await user.click(await screen.findByTestId('confirm-yes'));
  expect(await screen.findByText(/is signed in/)).toBeTruthy();
  expect(screen.queryByTestId('take-over')).toBeNull();
});
