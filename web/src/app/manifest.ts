import { IconActivityHeartbeat } from '@tabler/icons-react';
import { deviceTabs as configurationTabs } from '@/features/configuration/deviceTabs';
import { deviceTabs as evidenceTabs } from '@/features/evidence/deviceTabs';
import { screens as evidence } from '@/features/evidence/screens';
import { screens as monitor } from '@/features/monitor/screens';
import { deviceTabs as remoteTabs } from '@/features/remote/deviceTabs';
import { screens as session } from '@/features/session/screens';
import { setDeviceTabs } from '@/lib/deviceTabs';
import type { Screen, Section } from '@/lib/screens';

/** Every screen of the portal: routes, menu, guard, tabs and their titles are read from here. */
export const screens: readonly Screen[] = [...monitor, ...evidence, ...session];

/** Tabs of a device's page, in their order, that do not belong to the feature monitor. */
setDeviceTabs([...evidenceTabs, ...configurationTabs, ...remoteTabs]);

/** Sections of the menu in their order. */
export const sections: readonly Section[] = [
  { id: 'monitor', titleKey: 'base:section.monitor', icon: IconActivityHeartbeat },
];

export function screenAt(path: string): Screen | undefined {
  return screens.find((screen) => screen.path === path);
}
