import { all } from '@/lib/screens';
import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/ota/device',
    titleKey: 'parameters:title',
    icon: 'adjustments',
    layout: 'admin',
    section: 'ota',
    permission: all('OtaManager', 'ota.Device', 'Monitor.DeviceMonitor'),
    cloudFlag: 'ot',
    tabKeys: ['gateway'],
    load: () => import('./screens/OtaGateways'),
  },
];
