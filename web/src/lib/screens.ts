import type { ComponentType } from 'react';

export interface Access {
  userType: number;
  permissions: readonly string[];
}

export type SearchValues = Record<string, string>;

/** Opened pages are told apart by these search parameters; without them a path is one page. */
export interface Screen {
  path: string;
  /** 'namespace:key' of the title: menu entry, tab and document title. */
  titleKey: string;
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  layout: 'public' | 'admin';
  /** Code that must be in the user's list; null when every signed-in user may. */
  permission?: string | null;
  /** Menu section; a screen without one is reached by links only. */
  section?: string;
  tabKeys?: readonly string[];
  load: () => Promise<{ default: ComponentType }>;
}

/** Navigation for the menu: one section opens at a time. */
export interface Section {
  id: string;
  titleKey: string;
  icon: Screen['icon'];
}

/** Platform users (type 0) pass; others need the screen's code. */
export function mayOpen(screen: Pick<Screen, 'layout' | 'permission'>, access: Access): boolean {
  if (screen.layout === 'public') return true;
  if (screen.permission === null || screen.permission === undefined) return true;
  return access.userType === 0 || access.permissions.includes(screen.permission);
}

export function menuOf(screens: readonly Screen[], access: Access): Map<string, Screen[]> {
  const menu = new Map<string, Screen[]>();
  for (const screen of screens) {
    if (screen.section === undefined || !mayOpen(screen, access)) continue;
    menu.set(screen.section, [...(menu.get(screen.section) ?? []), screen]);
  }
  return menu;
}

/** The first screen of the menu that the user may see; null when there is none. */
export function landingPath(screens: readonly Screen[], access: Access): string | null {
  return screens.find((screen) => screen.section !== undefined && mayOpen(screen, access))?.path ?? null;
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
  const kept = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = new URLSearchParams(kept.map(([key, value]) => [key, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
