import { deviceTabs as configurationTabs } from '@/features/configuration/deviceTabs';
import { deviceTabs as evidenceTabs } from '@/features/evidence/deviceTabs';
import { screens as devices } from '@/features/devices/screens';
import { deviceTabs as eventTabs } from '@/features/events/deviceTabs';
import { screens as configuration } from '@/features/configuration/screens';
import { screens as events } from '@/features/events/screens';
import { screens as evidence } from '@/features/evidence/screens';
import { screens as exchange } from '@/features/exchange/screens';
import { screens as history, settings as historySettings } from '@/features/history/screens';
import { screens as files } from '@/features/files/screens';
import { screens as map } from '@/features/map/screens';
import { screens as monitor } from '@/features/monitor/screens';
import { screens as outside } from '@/features/outside/screens';
import { screens as overview } from '@/features/overview/screens';
import { screens as platform } from '@/features/platform/screens';
import { deviceTabs as remoteTabs } from '@/features/remote/deviceTabs';
import { screens as products } from '@/features/products/screens';
import { screens as projects } from '@/features/projects/screens';
import { screens as remote } from '@/features/remote/screens';
import { screens as points } from '@/features/points/screens';
import { screens as session } from '@/features/session/screens';
import { screens as statistics } from '@/features/statistics/screens';
import { screens as templates } from '@/features/templates/screens';
import { screens as users } from '@/features/users/screens';
import { setDeviceTabs } from '@/lib/deviceTabs';
import { all, listScreens } from '@/lib/screens';
import type { Screen } from '@/lib/screens';
import { pending } from './pending';
import { SECTION_IDS } from './sectionIds';

/** Tabs of a device's page, in their order, that do not belong to the feature monitor. */
setDeviceTabs([...eventTabs, ...evidenceTabs, ...configurationTabs, ...remoteTabs]);

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
  ...overview,
  ...monitor,
  ...map,
  ...evidence,
  ...events,
  ...history,
  ...statistics,
  ...files,
  ...projects,
  ...devices,
  ...points,
  ...templates,
  ...remote,
  ...configuration,
  ...exchange,
  ...products,
  ...session,
  ...users,
  ...platform,
  ...historySettings,
  ...outside,
  ...onWall(monitor.find(({ path }) => path === '/deviceDetail/index')),
  ...pending,
].sort((a, b) => place(a) - place(b));

listScreens(screens);
