import { all } from '@/lib/screens';
import type { Screen } from '@/lib/screens';

const ofDevice = {
  icon: 'table',
  layout: 'admin',
  section: 'device',
  hidden: true,
  tabKeys: ['device_id'],
  load: () => import('./screens/PointEditor'),
} satisfies Omit<Screen, 'path' | 'titleKey'>;

export const screens: readonly Screen[] = [
  {
    ...ofDevice,
    path: '/device/ptdevice/slavedevice',
    titleKey: 'points:title.device',
    permission: all('DeviceManage', 'Monitor.DeviceMonitor'),
  },
  {
    ...ofDevice,
    path: '/device/gateway/slavedevice',
    titleKey: 'points:title.gateway',
    permission: all('DeviceManage', 'Monitor.DeviceMonitor'),
  },
];
