import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/dataCenter/statisticalReport',
    titleKey: 'statistics:title',
    icon: 'chart-bar',
    layout: 'admin',
    section: 'dataCenter',
    permission: 'StatisticalReport',
    aliases: ['/statisticalReport'],
    load: () => import('./screens/StatisticalReport'),
  },
];
