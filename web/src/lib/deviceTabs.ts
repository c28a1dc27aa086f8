import type { ComponentType } from 'react';

/** A tab of a device's page. Its body reads the device from the address: useTab().search.device_id. */
export interface DeviceTab {
  /** Value of 'tab' in the address. */
  name: string;
  titleKey: string;
  /** Code that must be in the user's list; without one the page's own is enough. */
  permission?: string;
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
