import { keepTokens } from '@/lib/session';
import type { User } from '@/lib/session';
import * as sdk from './generated/sdk.gen';
import { call } from './http';

/** Sign in and keep the tokens. Throws ApiError 10009 for a wrong name or password. */
export async function signIn(username: string, password: string): Promise<void> {
  const data = await call(sdk.login({ body: { username: username.trim(), password } }));
  keepTokens(data.token, data.refresh_token, data.expires_in);
}

export async function signOut(): Promise<void> {
  await call(sdk.logout());
}

export async function getUserInfo(): Promise<User> {
  const info = await call(sdk.getUserInfo());
  return { id: info.user_id, name: info.user_name, nickName: info.nick_name, type: info.user_type };
}

export async function getAuthList(): Promise<readonly string[]> {
  return call(sdk.getAuthList());
}
