import { all } from '@/lib/screens';
import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/device/template',
    titleKey: 'templates:title.gateway',
    icon: 'template',
    layout: 'admin',
    section: 'device',
    permission: all('DeviceTemplate', 'Monitor.DeviceMonitor'),
    load: () => import('./screens/GatewayTemplates'),
  },
  {
    path: '/device/slaveDeviceTemplate',
    titleKey: 'templates:title.point',
    icon: 'table',
    layout: 'admin',
    section: 'device',
    permission: all('DeviceTemplate', 'Monitor.DeviceMonitor'),
    load: () => import('./screens/PointTemplates'),
  },
];
