import { all } from '@/lib/screens';
import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/ota/strace',
    titleKey: 'signal-trace:title',
    icon: 'list-details',
    layout: 'admin',
    section: 'ota',
    permission: all('OtaManager', 'ota.Strace'),
    cloudFlag: 'ot',
    load: () => import('./screens/SignalTrace'),
  },
];
