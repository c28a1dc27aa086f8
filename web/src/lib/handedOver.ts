/** A name and password that another program hands over in the address (parameter 'u'). */
export interface Credential {
  username: string;
  password: string;
}

export interface Taken {
  /** Address without the parameter; null when there was none. */
  address: string | null;
  /** Null for none, or a value that is no credential. */
  credential: Credential | null;
}

const PARAMETER = 'u';
const MAX_CHARACTERS = 2_000;

/** base64url of JSON {"username", "password"}; null for everything else. */
export function decode(text: string): Credential | null {
  if (text.length > MAX_CHARACTERS) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
      letter.charCodeAt(0),
    );
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isCredential(value) ? { username: value.username, password: value.password } : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof DOMException || error instanceof TypeError) return null;
    throw error;
  }
}

function isCredential(value: unknown): value is Credential {
  if (typeof value !== 'object' || value === null) return false;
  const { username, password } = value as Partial<Credential>;
  return typeof username === 'string' && username !== '' && typeof password === 'string' && password !== '';
}

/** What an address hands over, and the address that stays: sign-in; the place that was meant becomes its redirect. */
export function taken(address: string): Taken {
  const url = new URL(address, 'http://portal');
  const text = url.searchParams.get(PARAMETER);
  if (text === null) return { address: null, credential: null };
  url.searchParams.delete(PARAMETER);
  const credential = decode(text);
  if (credential === null) return { address: '/login', credential };
  if (url.pathname === '/login') return { address: `/login${url.search}`, credential };
  return {
    address: `/login?${new URLSearchParams({ redirect: `${url.pathname}${url.search}` }).toString()}`,
    credential,
  };
}

let waiting: Credential | null = null;

/** Called before anything reads the address: it leaves address bar and history at once. */
export function takeFromAddress(): void {
  const { address, credential } = taken(`${window.location.pathname}${window.location.search}`);
  if (address === null) return;
  window.history.replaceState(null, '', address);
  waiting = credential;
}

/** The credential, once. */
export function handedOver(): Credential | null {
  const credential = waiting;
  waiting = null;
  return credential;
}
