import { all } from '@/lib/screens';
import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/device/deviceVcom',
    titleKey: 'remote:list.title',
    icon: 'plug',
    layout: 'admin',
    section: 'device',
    permission: 'DeviceManage',
    load: () => import('./screens/VirtualPorts'),
  },
  {
    path: '/device/plcDownload',
    titleKey: 'remote:plc.title',
    icon: 'file-download',
    layout: 'admin',
    section: 'device',
    permission: all('DeviceManage', 'Monitor.DeviceMonitor'),
    load: () => import('./screens/PlcDownload'),
  },
];
