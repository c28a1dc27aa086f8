import { createStore, useStore } from 'zustand';

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
}

export interface SessionState {
  tokens: Tokens | null;
  user: User | null;
  permissions: readonly string[];
  /** The cloud said so; the user is asked to sign in again. */
  isExpired: boolean;
}

/** Where tokens are kept. localStorage: a deep link opened in a new tab is signed in, and one sign-out ends all tabs. */
const KEY = 'edge.session';

export function readTokens(storage: Pick<Storage, 'getItem'> = localStorage): Tokens | null {
  const text = storage.getItem(KEY);
  if (text === null) return null;
  try {
    const kept: unknown = JSON.parse(text);
    return isTokens(kept) ? kept : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isTokens(value: unknown): value is Tokens {
  if (typeof value !== 'object' || value === null) return false;
  const kept = value as Partial<Tokens>;
  return typeof kept.token === 'string' && typeof kept.refreshToken === 'string' && typeof kept.expiresAtMs === 'number';
}

export const session = createStore<SessionState>(() => ({ tokens: null, user: null, permissions: [], isExpired: false }));

export function useSession<T>(pick: (state: SessionState) => T): T {
  return useStore(session, pick);
}

/** Has the user this permission? Platform users (type 0) have all. */
export function useMay(permission: string): boolean {
  return useSession(({ user, permissions }) => user?.type === 0 || permissions.includes(permission));
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
    session.setState(tokens === null ? { tokens, user: null, permissions: [] } : { tokens });
  }
  return tokens;
}

export function forgetSession(): void {
  localStorage.removeItem(KEY);
  session.setState({ tokens: null, user: null, permissions: [] });
}

/** Follow sign-in, refresh and sign-out of other tabs. Returns the stop function. */
export function followOtherTabs(): () => void {
  const onStorage = (event: StorageEvent): void => {
    if (event.key === KEY || event.key === null) adoptStoredTokens();
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
