import { all } from '@/lib/screens';
import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/device/deviceManage',
    titleKey: 'devices:title.list',
    icon: 'router',
    layout: 'admin',
    section: 'device',
    permission: all('DeviceManage', 'Monitor.DeviceMonitor'),
    load: () => import('./screens/DeviceManage'),
  },
  {
    path: '/device/addDevice',
    titleKey: 'devices:title.add',
    icon: 'router',
    layout: 'admin',
    section: 'device',
    permission: all('Device/save', 'Monitor.DeviceMonitor'),
    hidden: true,
    load: () => import('./screens/AddDevice'),
  },
  {
    path: '/device/bind',
    titleKey: 'devices:bind.title',
    icon: 'router',
    layout: 'admin',
    section: 'device',
    permission: 'Monitor.DeviceMonitor',
    hidden: true,
    load: () => import('./screens/BindDevice'),
  },
];
