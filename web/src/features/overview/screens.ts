import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/dashboard/index',
    titleKey: 'overview:title',
    icon: 'dashboard',
    layout: 'admin',
    permission: 'PlatformOverView',
    section: 'dashboard',
    load: () => import('./screens/Overview'),
  },
];
