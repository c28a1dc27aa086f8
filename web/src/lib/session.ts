import { createStore, useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import { NO_FLAGS } from './screens';
import type { Access, CloudFlags, Links } from './screens';

export interface Tokens {
  token: string;
  refreshToken: string;
  /** UTC milliseconds on this browser's clock. */
  expiresAtMs: number;
}

export interface User {
  id: number | string;
  name: string;
  nickName: string;
  type: number;
  /** Of the user's own; shown as the platform's title to who may have one. */
  bigscreenTitle: string;
}

/** What the cloud is set to, as far as menus and guards depend on it. */
export interface Platform {
  flags: CloudFlags;
  links: Links;
  /** Host names under which this portal is the OTA portal. */
  otaHosts: readonly string[];
}

export const PLAIN_PLATFORM: Platform = { flags: NO_FLAGS, links: {}, otaHosts: [] };

export interface SessionState {
  tokens: Tokens | null;
  user: User | null;
  /** The effective ones: type, group, rules and cloud configuration are in them. */
  permissions: readonly string[];
  platform: Platform;
  /** The cloud said so; the user is asked to sign in again. */
  isExpired: boolean;
}

/** Where tokens are kept. localStorage: a deep link opened in a new tab is signed in, and one sign-out ends all tabs. */
const KEY = 'edge.session';

export function readTokens(storage: Pick<Storage, 'getItem'> = localStorage): Tokens | null {
  const text = storage.getItem(KEY);
  if (text === null) return null;
  try {
    const stored: unknown = JSON.parse(text);
    return isTokens(stored) ? stored : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** What a header can carry; anything else was not written by the portal. */
const TOKEN = /^[\x21-\x7e]{1,512}$/;

function isTokens(value: unknown): value is Tokens {
  if (typeof value !== 'object' || value === null) return false;
  const stored = value as Partial<Tokens>;
  const areWords = [stored.token, stored.refreshToken].every((word) => typeof word === 'string' && TOKEN.test(word));
  return areWords && typeof stored.expiresAtMs === 'number';
}

const NOBODY = { user: null, permissions: [], platform: PLAIN_PLATFORM };

export const session = createStore<SessionState>(() => ({ tokens: null, ...NOBODY, isExpired: false }));

export function useSession<T>(pick: (state: SessionState) => T): T {
  return useStore(session, pick);
}

/** Has the user this permission? */
export function useMay(permission: string): boolean {
  return useSession(({ permissions }) => permissions.includes(permission));
}

export function accessOf({ user, permissions, platform }: Omit<SessionState, 'tokens' | 'isExpired'>): Access {
  return { userType: user?.type ?? -1, permissions, flags: platform.flags, links: platform.links };
}

/** What decides over screens, for the signed-in user. */
export function useAccess(): Access {
  return useSession(useShallow(accessOf));
}

/** Is this page served as the OTA portal? */
export function isOtaHost(
  { platform }: Pick<SessionState, 'platform'>,
  host = globalThis.location?.hostname ?? '',
): boolean {
  return platform.otaHosts.some((known) => known.toLowerCase() === host.toLowerCase());
}

export function loadSession(): void {
  session.setState({ tokens: readTokens() });
}

export function keepTokens(token: string, refreshToken: string, expiresInS: number): Tokens {
  const tokens = { token, refreshToken, expiresAtMs: Date.now() + expiresInS * 1000 };
  localStorage.setItem(KEY, JSON.stringify(tokens));
  session.setState({ tokens });
  return tokens;
}

/** Another tab refreshed or signed out: take over what it stored. Returns the tokens in force. */
export function adoptStoredTokens(): Tokens | null {
  const tokens = readTokens();
  if (tokens?.token !== session.getState().tokens?.token) {
    session.setState(tokens === null ? { tokens, ...NOBODY } : { tokens });
  }
  return tokens;
}

export function forgetSession(): void {
  localStorage.removeItem(KEY);
  session.setState({ tokens: null, ...NOBODY });
}

/** Follow sign-in, refresh and sign-out of other tabs. Returns the stop function. */
export function followOtherTabs(): () => void {
  const onStorage = (event: StorageEvent): void => {
    if (event.key === KEY || event.key === null) adoptStoredTokens();
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
