import type { ComponentType } from 'react';
import { mayOpen } from './screens';
import type { Access, CloudFlag, Gate } from './screens';

/** A tab of a device's page. Its body reads the device from the address: useTab().search.device_id. */
export interface DeviceTab {
  /** Value of 'tab' in the address. */
  name: string;
  titleKey: string;
  /** Gate as in a screen's record; without one the page's own is enough. */
  permission?: string | Gate | null;
  userTypes?: readonly number[];
  cloudFlag?: CloudFlag;
  /** Announced, not built, as of a screen. */
  pending?: boolean;
  load: () => Promise<{ default: ComponentType }>;
}

let others: readonly DeviceTab[] = [];

/** Tabs that features add to the device page, which belongs to another one. The manifest sets them once, at the start. */
export function setDeviceTabs(tabs: readonly DeviceTab[]): void {
  others = tabs;
}

export function otherDeviceTabs(): readonly DeviceTab[] {
  return others;
}

/** May this tab be opened? No user type passes by itself, as with screens. */
export function mayOpenTab(
  { permission, userTypes, cloudFlag, pending }: Omit<DeviceTab, 'load'>,
  access: Access,
): boolean {
  return mayOpen({ layout: 'admin', permission, userTypes, cloudFlag, pending }, access);
}
