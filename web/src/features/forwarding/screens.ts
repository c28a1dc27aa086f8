import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/monitor/forwarding',
    titleKey: 'forwarding:title',
    icon: 'send',
    layout: 'admin',
    permission: 'Monitor.DeviceMonitor',
    section: 'monitor',
    load: () => import('./screens/TargetList'),
  },
];
