import type { DeviceTab } from '@/lib/deviceTabs';

export const deviceTabs: readonly DeviceTab[] = [
  {
    name: 'configuration',
    titleKey: 'configuration:tab',
    permission: 'Monitor.DeviceMonitor',
    load: () => import('./screens/ConfigurationTab'),
  },
];
