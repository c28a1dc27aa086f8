import { transformed } from '@/lib/password';
import { forgetSession, keepTokens, session } from '@/lib/session';
import type { User } from '@/lib/session';
import * as sdk from './generated/sdk.gen';
import type { Preferences, Tokens } from './generated/types.gen';
import { ApiError } from './errors';
import { call } from './http';

/** Sign in and keep the tokens. Throws ApiError 10009 for a wrong name or password, 10001 for who has no portal. */
export async function signIn(username: string, password: string): Promise<void> {
  const body = { username: username.trim(), password: transformed(password) };
  begin(await call(sdk.login({ body })));
}

/** Sign in as the demo user, where the cloud offers one. */
export async function signInForDemo(): Promise<void> {
  begin(await call(sdk.loginDemo()));
}

function begin(tokens: Tokens): void {
  session.setState({ user: null, isExpired: false });
  keepTokens(tokens.token, tokens.refresh_token, tokens.expires_in);
}

/** End the session, here also when the cloud cannot be told. */
export async function signOut(): Promise<void> {
  try {
    await call(sdk.logout());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  } finally {
    forgetSession();
  }
}

export async function getUserInfo(): Promise<User> {
  const info = await call(sdk.getUserInfo());
  return {
    id: info.user_id,
    name: info.user_name,
    nickName: info.nick_name,
    type: info.user_type,
    bigscreenTitle: info.bigscreen_title,
  };
}

export async function getAuthList(): Promise<readonly string[]> {
  return call(sdk.getAuthList());
}

/** How the portal looks to the signed-in user, kept in the cloud; null for what he did not choose. */
export async function getOwnPreferences(): Promise<Preferences> {
  const option = await call(sdk.getUserOption({ query: { name: 'preferences' } }));
  return option.name === 'preferences' ? (option.value ?? {}) : {};
}

/** Replace them as a whole; answers them as they are kept. */
export async function putOwnPreferences(value: Preferences): Promise<Preferences> {
  const option = await call(sdk.putUserOption({ body: { name: 'preferences', value } }));
  return option.name === 'preferences' ? (option.value ?? {}) : value;
}
