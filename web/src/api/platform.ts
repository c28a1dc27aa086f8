import { isOwnPicture } from '@/lib/brand';
import type { Brand } from '@/lib/brand';
import { inOrder, isSafe } from '@/lib/quickEntries';
import type { QuickEntry } from '@/lib/quickEntries';
import type { CloudFlags, LinkName, Links } from '@/lib/screens';
import type { Platform } from '@/lib/session';
import { client } from './generated/client.gen';
import { call } from './http';

async function get<T>(url: string, query: Record<string, string>): Promise<T> {
  return call<T>(client.get({ url: `/api/v1${url}`, query }) as never);
}

/** Switches of the cloud, and where entries lead that leave the portal. */
export async function getPlatform(): Promise<Platform> {
  const [flags, { value }] = await Promise.all([
    get<CloudFlags>('/dict', { key: 'CDCF' }),
    get<{ value: Record<LinkName, string> & { ota_hosts: string[] } }>('/option', { name: 'links' }),
  ]);
  const { ota_hosts: otaHosts, ...addresses } = value;
  const links: Links = Object.fromEntries(Object.entries(addresses).filter(([, address]) => isSafe(address)));
  return { flags, links, otaHosts };
}

/** How the platform looks at a host name; asked before sign-in. */
export async function getBrand(domain: string): Promise<Brand> {
  const found = await get<Record<string, string> & { carousel: string[]; demo: boolean }>('/customize/info', { domain });
  const picture = (address: string | undefined): string => (address !== undefined && isOwnPicture(address) ? address : '');
  return {
    platformTitle: found.platform_title ?? '',
    browserTitle: found.browser_title ?? '',
    tkloc: found.tkloc ?? '',
    icp: found.icp ?? '',
    logo: picture(found.logo),
    background: picture(found.background),
    carousel: found.carousel.filter(isOwnPicture),
    demo: found.demo,
  };
}

/** The user's own buttons of the top bar. */
export async function getQuickEntries(): Promise<QuickEntry[]> {
  const { value } = await get<{ value: (QuickEntry & { position: number })[] }>('/user/option', { name: 'user_config' });
  return inOrder(value);
}
