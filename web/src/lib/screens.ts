import type { ComponentType } from 'react';

/** Switches of the cloud configuration that a screen may ask for: ot offers OTA, rl the rules page. */
export type CloudFlag = 'ot' | 'rl' | 'ss' | 'rg';
/** All of them; 0 is off. announced: screens that are not built are listed. */
export type CloudFlags = Readonly<Record<CloudFlag | 'announced', number>>;
export const NO_FLAGS: CloudFlags = { ot: 0, rl: 0, ss: 0, rg: 0, announced: 0 };

/** Places outside of the portal; their addresses come from the cloud's options. */
export type LinkName = 'ota' | 'flow' | 'gis' | 'screen';
export type Links = Readonly<Partial<Record<LinkName, string>>>;

/** A line drawing, as @tabler/icons-react has them. */
export type Icon = ComponentType<{ size?: number | string; stroke?: number | string; 'aria-hidden'?: boolean }>;

/** Names of the icons of screens, as @tabler/icons-react has them; app/layout/screenIcons.ts draws them. */
export type IconName =
  | 'adjustments'
  | 'bell-ringing'
  | 'chart-bar'
  | 'chart-line'
  | 'checklist'
  | 'clock-hour-4'
  | 'dashboard'
  | 'device-sim'
  | 'external-link'
  | 'history'
  | 'list-details'
  | 'lock'
  | 'login'
  | 'map-off'
  | 'palette'
  | 'plug-connected'
  | 'pointer'
  | 'router'
  | 'send'
  | 'server-2'
  | 'shield-check'
  | 'cpu'
  | 'file-download'
  | 'folder-symlink'
  | 'folders'
  | 'map'
  | 'map-pin'
  | 'package'
  | 'plug'
  | 'shield-cog'
  | 'table'
  | 'template'
  | 'address-book'
  | 'transfer'
  | 'user-circle'
  | 'user-plus'
  | 'users'
  | 'world';

/** What decides over a screen. permissions: the effective ones, as the cloud told them; no user type has more. */
export interface Access {
  userType: number;
  permissions: readonly string[];
  flags?: CloudFlags;
  links?: Links;
}

/** A rule over all that decides. codes: the permissions in it, by which the cloud can say why somebody may not. */
export interface Gate {
  (access: Access): boolean;
  codes?: readonly string[];
}

export type SearchValues = Record<string, string>;

/** One record makes route, menu entry, guard, tab, palette entry and tests of a screen. */
export interface Screen {
  path: string;
  /** Other addresses of the same screen. */
  aliases?: readonly string[];
  /** 'namespace:key' of the title: menu entry, tab and document title. */
  titleKey: string;
  icon: IconName;
  /** public: without sign-in; admin: a tab beside the menu; fullscreen: a wall screen. */
  layout: 'public' | 'admin' | 'fullscreen';
  /** Code that must be in the user's list, or a rule over all; null when every signed-in user may. */
  permission?: string | Gate | null;
  /** Of these user types only. */
  userTypes?: readonly number[];
  /** Only while this switch of the cloud configuration is on. */
  cloudFlag?: CloudFlag;
  /** Section of the menu; a screen without one is reached by links only. */
  section?: string;
  /** Belongs to its section, but is no entry of menu and palette. */
  hidden?: boolean;
  /** Leads out of the portal, in a window of its own; not offered while the cloud has no address for it. */
  external?: LinkName;
  /** Announced, not built: there only while the switch 'announced' is on; shows what it will do, is never the landing page. */
  pending?: boolean;
  /** Search parameters by which opened pages are told apart; without them a path is one page. */
  tabKeys?: readonly string[];
  /** Its tabs that are entries of the palette by themselves. */
  places?: readonly { nameKey: string; search: SearchValues }[];
  load: () => Promise<{ default: ComponentType }>;
}

/** A group of the menu. place: in the sidebar, or as a menu of the top bar. */
export interface Section {
  id: string;
  titleKey: string;
  icon: Icon;
  place?: 'side' | 'top';
}

type Gated = Pick<Screen, 'layout' | 'permission' | 'userTypes' | 'cloudFlag' | 'pending'>;

/** All of these permissions. */
export function all(...permissions: string[]): Gate {
  const gate: Gate = (access) => permissions.every((permission) => access.permissions.includes(permission));
  gate.codes = permissions;
  return gate;
}

/** The permissions that a screen's record names. */
export function codesOf({ permission }: Pick<Screen, 'permission'>): readonly string[] {
  if (typeof permission === 'string') return [permission];
  return typeof permission === 'function' ? (permission.codes ?? []) : [];
}

/** Is it announced only, on a platform that does not show such? Then it is no screen: its address is as good as unknown. */
export function isConcealed(
  { pending }: Pick<Screen, 'pending'>,
  { flags = NO_FLAGS }: Pick<Access, 'flags'>,
): boolean {
  return pending === true && flags.announced === 0;
}

/** Permission, user type and cloud switches: all that the record states must hold. */
export function mayOpen(screen: Gated, access: Access): boolean {
  if (screen.layout === 'public') return true;
  if (isConcealed(screen, access)) return false;
  if (screen.userTypes !== undefined && !screen.userTypes.includes(access.userType)) return false;
  if (screen.cloudFlag !== undefined && (access.flags ?? NO_FLAGS)[screen.cloudFlag] === 0) return false;
  const { permission } = screen;
  if (typeof permission === 'function') return permission(access);
  return permission === null || permission === undefined || access.permissions.includes(permission);
}

/** The overview is offered only to who lands on it. */
const ONLY_AS_LANDING = '/dashboard/index';
const OTA_LANDING = '/ota/device';

/** Entries of the menu by section, in the order of the records. */
export function menuOf(screens: readonly Screen[], access: Access, onOtaHost = false): Map<string, Screen[]> {
  const landing = landingPath(screens, access, onOtaHost);
  const menu = new Map<string, Screen[]>();
  for (const screen of screens) {
    if (!isEntry(screen, access) || (screen.path === ONLY_AS_LANDING && landing !== ONLY_AS_LANDING)) continue;
    const section = screen.section as string;
    menu.set(section, [...(menu.get(section) ?? []), screen]);
  }
  return menu;
}

/** A way out is offered only with an address. */
function isEntry(screen: Screen, access: Access): boolean {
  if (screen.section === undefined || screen.hidden === true) return false;
  return (screen.external === undefined || access.links?.[screen.external] !== undefined) && mayOpen(screen, access);
}

/**
 * The first entry of the menu that lies inside the portal; on the OTA host its gateway list. Null when there is none.
 * What is only announced greets nobody.
 */
export function landingPath(screens: readonly Screen[], access: Access, onOtaHost = false): string | null {
  const inside = screens.filter((screen) => screen.external === undefined && isEntry(screen, access));
  const ota = onOtaHost ? inside.find((screen) => screen.path === OTA_LANDING) : undefined;
  return (ota ?? inside.find((screen) => screen.pending !== true))?.path ?? null;
}

let listed = new Map<string, Screen>();

/** The manifest tells once, at the start, which screens there are. */
export function listScreens(screens: readonly Screen[]): void {
  listed = new Map(screens.flatMap((screen) => [screen.path, ...(screen.aliases ?? [])].map((path) => [path, screen])));
}

/** The screen at an address. */
export function screenAt(path: string): Screen | undefined {
  return listed.get(path);
}

/** Identity of an opened page. */
export function tabId(screen: Pick<Screen, 'path' | 'tabKeys'>, search: SearchValues): string {
  const marks = (screen.tabKeys ?? []).map((key) => `${key}=${search[key] ?? ''}`);
  return [screen.path, ...marks].join('&');
}

export function parseSearch(text: string): SearchValues {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Empty and undefined parameters are left out. */
export function stringifySearch(values: Record<string, unknown>): string {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = new URLSearchParams(entries.map(([key, value]) => [key, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
