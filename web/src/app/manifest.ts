import { IconActivityHeartbeat } from '@tabler/icons-react';
import { screens as monitor } from '@/features/monitor/screens';
import { screens as session } from '@/features/session/screens';
import type { Screen, Section } from '@/lib/screens';

/** Every screen of the portal: routes, menu, guard, tabs and their titles are read from here. */
export const screens: readonly Screen[] = [...monitor, ...session];

/** Sections of the menu in their order. */
export const sections: readonly Section[] = [
  { id: 'monitor', titleKey: 'base:section.monitor', icon: IconActivityHeartbeat },
];

export function screenAt(path: string): Screen | undefined {
  return screens.find((screen) => screen.path === path);
}
