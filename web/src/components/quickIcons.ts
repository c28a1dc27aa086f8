import {
  IconAlarm,
  IconBolt,
  IconBuildingFactory2,
  IconChartLine,
  IconDeviceDesktop,
  IconHome,
  IconLink,
  IconMap,
  IconReport,
  IconServer2,
  IconTool,
  IconVideo,
} from '@tabler/icons-react';
import type { Icon } from '@/lib/screens';

/** Icons that a quick entry of the top bar may have, by the name that is kept. */
export const QUICK_ICONS: Readonly<Record<string, Icon | undefined>> = {
  link: IconLink,
  home: IconHome,
  device: IconServer2,
  alarm: IconAlarm,
  chart: IconChartLine,
  map: IconMap,
  screen: IconDeviceDesktop,
  factory: IconBuildingFactory2,
  energy: IconBolt,
  report: IconReport,
  camera: IconVideo,
  tool: IconTool,
};
