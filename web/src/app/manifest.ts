import { deviceTabs as configurationTabs } from '@/features/configuration/deviceTabs';
import { deviceTabs as completenessTabs } from '@/features/completeness/deviceTabs';
import { deviceTabs as eventTabs } from '@/features/events/deviceTabs';
import { deviceTabs as fieldbusTabs } from '@/features/fieldbus/deviceTabs';
import { settings as historySettings } from '@/features/history/screens';
import { deviceTabs as firmwareTabs } from '@/features/firmware/deviceTabs';
import { deviceTabs as forwardingTabs } from '@/features/forwarding/deviceTabs';
import { deviceTabs as remoteTabs } from '@/features/remote/deviceTabs';
import { setDeviceTabs } from '@/lib/deviceTabs';
import { all, listScreens } from '@/lib/screens';
import type { Screen } from '@/lib/screens';
import { FEATURES } from './features';
import { pending } from './pending';
import { SECTION_IDS } from './sectionIds';

/** Tabs of a device's page, in their order, that do not belong to the feature monitor. */
setDeviceTabs([
  ...eventTabs,
  ...completenessTabs,
  ...forwardingTabs,
  ...fieldbusTabs,
  ...configurationTabs,
  ...firmwareTabs,
  ...remoteTabs,
]);

const files = import.meta.glob<{ screens: readonly Screen[] }>('../features/*/screens.ts', { eager: true });
const listed = FEATURES.flatMap((name) => {
  const file = files[`../features/${name}/screens.ts`];
  if (file === undefined) throw new Error(`app/features.ts: features/${name} has no screens.ts`);
  return file.screens;
});

/** The device's page on the wall screens, with their layout and gate. */
function onWall(detail: Screen | undefined): Screen[] {
  if (detail === undefined) return [];
  const places = ['/monitorScreen', '/monitorScreen/map-1', '/monitorScreen/map-2', '/monitorScreen/map-3'];
  return places.map((place) => ({
    ...detail,
    path: `${place}/deviceDetail`,
    layout: 'fullscreen',
    permission: all('MonitorScreen', 'Monitor.DeviceMonitor'),
    section: 'monitorScreen',
    hidden: true,
  }));
}

/** Place in the menu; screens without a section come last. */
function place({ section }: Screen): number {
  const at = (SECTION_IDS as readonly (string | undefined)[]).indexOf(section);
  return at < 0 ? SECTION_IDS.length : at;
}

/** Every screen of the portal, in the order of the menu: routes, menu, guard, tabs, palette and titles are read from here. */
export const screens: readonly Screen[] = [
  ...listed,
  ...historySettings,
  ...onWall(listed.find(({ path }) => path === '/deviceDetail/index')),
  ...pending,
].sort((a, b) => place(a) - place(b));

listScreens(screens);
