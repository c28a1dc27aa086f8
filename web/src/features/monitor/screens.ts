import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/monitor/device',
    titleKey: 'monitor:list.title',
    icon: 'server-2',
    layout: 'admin',
    permission: 'Monitor.DeviceMonitor',
    section: 'monitor',
    load: () => import('./screens/DeviceList'),
  },
  {
    path: '/monitor/list',
    titleKey: 'monitor:points.title',
    icon: 'list-details',
    layout: 'admin',
    permission: 'Monitor.DeviceMonitorList',
    section: 'monitor',
    load: () => import('./screens/ListMonitor'),
  },
  {
    path: '/deviceDetail/index',
    titleKey: 'monitor:detail.title',
    icon: 'router',
    layout: 'admin',
    permission: 'Monitor.DeviceMonitor',
    tabKeys: ['device_id'],
    load: () => import('./screens/DeviceDetail'),
  },
];
