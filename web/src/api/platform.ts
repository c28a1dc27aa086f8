import { isOwnPicture } from '@/lib/brand';
import type { Brand } from '@/lib/brand';
import { inOrder, isSafe } from '@/lib/quickEntries';
import type { QuickEntry } from '@/lib/quickEntries';
import { NO_FLAGS } from '@/lib/screens';
import type { Links } from '@/lib/screens';
import type { Platform } from '@/lib/session';
import * as sdk from './generated/sdk.gen';
import { call } from './http';

/** Switches of the cloud, and where entries lead that leave the portal. */
export async function getPlatform(): Promise<Platform> {
  const [flags, option] = await Promise.all([
    call(sdk.getDictionary({ query: { key: 'CDCF' } })),
    call(sdk.getOption({ query: { name: 'links' } })),
  ]);
  const { ota_hosts: otaHosts = [], ...addresses } = option.name === 'links' ? (option.value ?? {}) : {};
  const links: Links = Object.fromEntries(Object.entries(addresses).filter(([, address]) => isSafe(address)));
  return { flags: { ...NO_FLAGS, ...flags }, links, otaHosts };
}

/** How the platform looks at a host name; asked before sign-in. */
export async function getBrand(domain: string): Promise<Brand> {
  const info = await call(sdk.getCustomizeInfo({ query: { domain } }));
  const picture = (address: string | undefined): string =>
    address !== undefined && isOwnPicture(address) ? address : '';
  return {
    platformTitle: info.platform_title ?? '',
    browserTitle: info.browser_title ?? '',
    tkloc: info.tkloc ?? '',
    icp: info.icp ?? '',
    logo: picture(info.logo),
    background: picture(info.background),
    carousel: (info.carousel ?? []).filter(isOwnPicture),
    demo: info.demo ?? false,
  };
}

/** The user's own buttons of the top bar. */
export async function getQuickEntries(): Promise<QuickEntry[]> {
  const option = await call(sdk.getUserOption({ query: { name: 'user_config' } }));
  const entries = option.name === 'user_config' ? (option.value ?? []) : [];
  return inOrder(
    entries.map(({ icon = '', newWindow = true, position = 0, ...entry }) => ({ ...entry, icon, newWindow, position })),
  );
}
