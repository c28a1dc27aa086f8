import type { CustomizeRow, Looks } from '@/api/generated/types.gen';

/** The entry of every host name that has none of its own. */
export const DEFAULT_DOMAIN = 'default';
export const MAX_CAROUSEL = 8;

const HOST = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?){0,15}$/;
const MAX_HOST = 253;

/** Looks of the sign-in page as the form holds them; '' for the portal's own. */
export type LooksDraft = Required<Looks> & { domain: string };

export function emptyLooks(domain: string): LooksDraft {
  return {
    domain,
    platform_title: '',
    browser_title: '',
    tkloc: '',
    icp: '',
    logo: '',
    background: '',
    carousel: [],
    demo: false,
  };
}

export function looksOf(row: CustomizeRow): LooksDraft {
  const { changed_ms: _at, user_name: _by, ...looks } = row;
  return { ...emptyLooks(row.domain), ...looks };
}

/**
 * The host name that a text names, in lower case and without scheme, port and path; names in other scripts as the browser
 * sends them. Null for what is none.
 */
export function hostOf(text: string): string | null {
  const typed = text.trim();
  if (typed === '' || /[\s@]/.test(typed)) return null;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `http://${typed}`;
  if (!URL.canParse(address)) return null;
  const host = new URL(address).hostname;
  return host.length <= MAX_HOST && HOST.test(host) ? host : null;
}
