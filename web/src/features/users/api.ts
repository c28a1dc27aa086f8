import { queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  GroupBody,
  GroupRow,
  LimitState,
  MadeUser,
  PermissionRow,
  Profile,
  ProfileChange,
  RuleBody,
  RuleRow,
  SignInRow,
  UserBody,
  UserChange,
  UserRow,
  WhyAnswer,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { ListRequest, Page } from '@/components/resource/resource';
import type { Choice } from '@/components/AsyncPicker';
import { transformed } from '@/lib/password';

export type {
  GroupBody,
  GroupRow,
  LimitState,
  MadeUser,
  PermissionRow,
  Profile,
  RuleRow,
  SignInRow,
  UserBody,
  UserChange,
  UserRow,
  WhyAnswer,
};

/** Choices that a picker shows of those found. */
const CHOICES = 20;
const STALE_MS = 60_000;

type UserQuery = { search?: string; type?: number; status?: number; sort?: string };

function wanted({ filters, sortBy }: ListRequest): UserQuery {
  const number = (text: string | undefined): number | undefined =>
    text === undefined || text === '' ? undefined : Number(text);
  return {
    search: filters.search || undefined,
    type: number(filters.type),
    status: number(filters.status),
    sort: sortBy,
  };
}

export function loadUsers(request: ListRequest, signal: AbortSignal): Promise<Page<UserRow>> {
  return call(sdk.listUsers({ query: { ...wanted(request), page: request.page, limit: request.limit }, signal }));
}

/** Everybody in one reply, for the list that scrolls through all. */
export function loadAllUsers(request: ListRequest, signal: AbortSignal): Promise<Page<UserRow>> {
  return call(sdk.listAllUsers({ query: { ...wanted(request), limit: request.limit }, signal }));
}

export function loadRegistered(request: ListRequest, signal: AbortSignal): Promise<Page<UserRow>> {
  return call(
    sdk.listRegisteredUsers({ query: { ...wanted(request), page: request.page, limit: request.limit }, signal }),
  );
}

export async function findUsers(search: string, signal: AbortSignal): Promise<readonly UserRow[]> {
  return (await call(sdk.listAllUsers({ query: { search, sort: 'user_name', limit: CHOICES }, signal }))).rows;
}

/** A typed password leaves the browser transformed; null lets the cloud make one. */
export function createUser({ password, ...body }: UserBody): Promise<MadeUser> {
  return call(sdk.createUser({ body: { ...body, password: password ? transformed(password) : null } }));
}

export function changeUser(userId: number, change: UserChange): Promise<UserRow> {
  return call(sdk.changeUser({ path: { user_id: userId }, body: change }));
}

/** to: who takes over what is below. */
export async function deleteUser(userId: number, to?: number): Promise<void> {
  await call(sdk.deleteUser({ path: { user_id: userId }, query: { to } }));
}

export function setStatus(userId: number, status: 0 | 1): Promise<UserRow> {
  return call(sdk.setUserStatus({ path: { user_id: userId }, body: { status } }));
}

/** The password that the cloud made; null when one was given. */
export async function resetPassword(userId: number, password: string): Promise<string | null> {
  const body = { password: password === '' ? null : transformed(password) };
  return (await call(sdk.resetPassword({ path: { user_id: userId }, body }))).password;
}

export const permissionsQuery = queryOptions({
  queryKey: ['permission'],
  queryFn: async ({ signal }) => (await call(sdk.listPermissions({ signal }))).rows,
  staleTime: STALE_MS,
});

export function loadGroups({ page, limit, filters }: ListRequest, signal: AbortSignal): Promise<Page<GroupRow>> {
  const type = filters.type === undefined || filters.type === '' ? undefined : Number(filters.type);
  return call(sdk.listGroups({ query: { search: filters.search || undefined, user_type: type, page, limit }, signal }));
}

export async function findGroups(search: string, userType: number, signal: AbortSignal): Promise<readonly Choice[]> {
  const { rows } = await call(
    sdk.listGroups({ query: { search: search || undefined, user_type: userType, limit: CHOICES }, signal }),
  );
  return rows.map(({ group_id, title, owner_name }) => ({ value: String(group_id), label: title, note: owner_name }));
}

export function createGroup(body: GroupBody): Promise<GroupRow> {
  return call(sdk.createGroup({ body }));
}

export function changeGroup(groupId: number, body: GroupBody): Promise<GroupRow> {
  return call(sdk.changeGroup({ path: { group_id: groupId }, body }));
}

export async function deleteGroup(groupId: number): Promise<void> {
  await call(sdk.deleteGroup({ path: { group_id: groupId } }));
}

export const rulesQuery = queryOptions({
  queryKey: ['rule'],
  queryFn: async ({ signal }) => (await call(sdk.listRules({ signal }))).rows,
});

export function changeRule(code: string, body: RuleBody): Promise<RuleRow> {
  return call(sdk.changeRule({ path: { code }, body }));
}

export const SIGN_IN_RESULTS = ['ok', 'wrong', 'locked', 'disabled', 'expired', 'refused_type', 'above'] as const;

export function loadSignIns(
  { page, limit, filters, span }: ListRequest,
  signal: AbortSignal,
): Promise<Page<SignInRow>> {
  const result = SIGN_IN_RESULTS.find((each) => each === filters.result);
  return call(
    sdk.listSignIns({ query: { search: filters.search || undefined, result, ...span, page, limit }, signal }),
  );
}

export function ownSignInsQuery(page: number, limit: number) {
  return queryOptions({
    queryKey: ['loginlog', 'own', page, limit],
    queryFn: ({ signal }) => call(sdk.listOwnSignIns({ query: { page, limit }, signal })),
  });
}

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => call(sdk.getProfile({ signal })),
});

export function changeProfile(body: ProfileChange): Promise<Profile> {
  return call(sdk.changeProfile({ body }));
}

export async function changeOwnPassword(old: string, next: string): Promise<void> {
  await call(sdk.changeOwnPassword({ body: { old: transformed(old), new: transformed(next) } }));
}

/** Limits and use of a user and everybody below; of oneself without a number. */
export function limitsQuery(userId?: number) {
  return queryOptions({
    queryKey: ['user', 'limits', userId ?? 'own'],
    queryFn: ({ signal }) =>
      call(
        userId === undefined
          ? sdk.listOwnLimits({ signal })
          : sdk.listUserLimits({ path: { user_id: userId }, signal }),
      ),
    gcTime: 0,
  });
}

export interface WhyQuestion {
  userId: number;
  permission?: string;
  deviceId?: number;
  writes?: boolean;
}

export function whyQuery({ userId, permission, deviceId, writes }: WhyQuestion) {
  return queryOptions({
    queryKey: ['why', userId, permission, deviceId, writes],
    queryFn: ({ signal }) =>
      call(sdk.why({ query: { user_id: userId, permission, device_id: deviceId, writes }, signal })),
    enabled: permission !== undefined || deviceId !== undefined,
    gcTime: 0,
  });
}
