import {
  IconActivityHeartbeat,
  IconAlarm,
  IconArrowsShuffle,
  IconBuildingFactory2,
  IconCamera,
  IconChartHistogram,
  IconCloudUpload,
  IconCpu,
  IconDeviceDesktopAnalytics,
  IconFolders,
  IconGavel,
  IconHome,
  IconLayoutDashboard,
  IconReceipt2,
  IconTool,
  IconUsers,
} from '@tabler/icons-react';
import type { Section } from '@/lib/screens';
import type { SectionId } from './sectionIds';

/** Groups of the menu, in the order of SECTION_IDS: those of the sidebar, then the menus of the top bar. */
export const sections: readonly (Section & { id: SectionId })[] = [
  { id: 'dashboard', titleKey: 'base:section.dashboard', icon: IconHome },
  { id: 'monitor', titleKey: 'base:section.monitor', icon: IconActivityHeartbeat },
  { id: 'alarm', titleKey: 'base:section.alarm', icon: IconAlarm },
  { id: 'dataCenter', titleKey: 'base:section.dataCenter', icon: IconChartHistogram },
  { id: 'group', titleKey: 'base:section.group', icon: IconFolders },
  { id: 'device', titleKey: 'base:section.device', icon: IconCpu },
  { id: 'monitorScreen', titleKey: 'base:section.monitorScreen', icon: IconDeviceDesktopAnalytics },
  { id: 'screen', titleKey: 'base:section.screen', icon: IconLayoutDashboard },
  { id: 'scada', titleKey: 'base:section.scada', icon: IconBuildingFactory2 },
  { id: 'ota', titleKey: 'base:section.ota', icon: IconCloudUpload },
  { id: 'camera', titleKey: 'base:section.camera', icon: IconCamera },
  { id: 'maintenance', titleKey: 'base:section.maintenance', icon: IconTool },
  { id: 'lawEnforcement', titleKey: 'base:section.lawEnforcement', icon: IconGavel },
  { id: 'other', titleKey: 'base:section.other', icon: IconArrowsShuffle },
  { id: 'fee', titleKey: 'base:section.fee', icon: IconReceipt2, place: 'top' },
  { id: 'user', titleKey: 'base:section.user', icon: IconUsers, place: 'top' },
];
