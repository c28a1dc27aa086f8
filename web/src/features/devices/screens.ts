import { all } from '@/lib/screens';
import type { Screen } from '@/lib/screens';

/** Personal and registered users have a page of their own instead of the management of many gateways. */
const PERSONAL = [4, 5, 6];

export const screens: readonly Screen[] = [
  {
    path: '/device/mine',
    titleKey: 'devices:title.mine',
    icon: 'router',
    layout: 'admin',
    section: 'device',
    permission: 'Monitor.DeviceMonitor',
    userTypes: PERSONAL,
    load: () => import('./screens/MyGateways'),
  },
  {
    path: '/device/deviceManage',
    titleKey: 'devices:title.list',
    icon: 'router',
    layout: 'admin',
    section: 'device',
    permission: all('DeviceManage', 'Monitor.DeviceMonitor'),
    userTypes: [0, 1, 2, 3],
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
