import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/login',
    titleKey: 'session:login.title',
    icon: 'login',
    layout: 'public',
    load: () => import('./screens/Login'),
  },
  {
    path: '/401',
    titleKey: 'session:noPermission.title',
    icon: 'lock',
    layout: 'public',
    load: () => import('./screens/NoPermission'),
  },
  {
    path: '/404',
    titleKey: 'session:notFound.title',
    icon: 'map-off',
    layout: 'public',
    load: () => import('./screens/NotFound'),
  },
];
