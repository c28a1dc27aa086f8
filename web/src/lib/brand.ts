import { create } from 'zustand';
import type { User } from './session';

/** How the platform looks at this host name; empty fields are the product's own. */
export interface Brand {
  platformTitle: string;
  browserTitle: string;
  tkloc: string;
  icp: string;
  logo: string;
  background: string;
  carousel: readonly string[];
  /** A sign-in without a password is offered. */
  demo: boolean;
}

export const PLAIN_BRAND: Brand = {
  platformTitle: '',
  browserTitle: '',
  tkloc: '',
  icp: '',
  logo: '',
  background: '',
  carousel: [],
  demo: false,
};

export const useBrand = create<Brand>()(() => PLAIN_BRAND);

const MAY_HAVE_TITLE = 'CustomizeBigscreenTitle';
/** Titles of their own are for user types above this. */
const NO_TITLE_UP_TO = 1;

/** A user's own title, if he may have one and has; else the platform's at this host; else the product's name. */
export function titleFor(
  user: Pick<User, 'type' | 'bigscreenTitle'> | null,
  permissions: readonly string[],
  platformTitle: string,
  product: string,
): string {
  const own =
    user !== null && user.type > NO_TITLE_UP_TO && permissions.includes(MAY_HAVE_TITLE)
      ? user.bigscreenTitle.trim()
      : '';
  return own || platformTitle.trim() || product;
}

/** Pictures are uploads of this cloud; anything else is left out. */
export function isOwnPicture(address: string): boolean {
  return /^\/api\/v1\/file\/[0-9a-f]{64}$/.test(address);
}

/** The name under which a host's looks are kept; what cannot be one has the default's. */
export function domainOf(hostname: string): string {
  return /^[a-z0-9.-]{1,253}$/.test(hostname) ? hostname : 'default';
}
