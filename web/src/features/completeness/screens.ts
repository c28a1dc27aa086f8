import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/monitor/completeness',
    titleKey: 'completeness:title',
    icon: 'checklist',
    layout: 'admin',
    permission: 'Monitor.DeviceMonitor',
    section: 'monitor',
    load: () => import('./screens/CompletenessList'),
  },
];
