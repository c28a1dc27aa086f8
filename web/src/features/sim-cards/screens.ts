import { all } from '@/lib/screens';
import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/ota/sim',
    titleKey: 'sim-cards:title',
    icon: 'device-sim',
    layout: 'admin',
    section: 'ota',
    permission: all('OtaManager', 'ota.Sim'),
    cloudFlag: 'ot',
    load: () => import('./screens/SimCards'),
  },
];
