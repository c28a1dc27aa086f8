import { IconLock, IconLogin, IconMapOff } from '@tabler/icons-react';
import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/login',
    titleKey: 'session:login.title',
    icon: IconLogin,
    layout: 'public',
    load: () => import('./screens/Login'),
  },
  {
    path: '/401',
    titleKey: 'session:noPermission.title',
    icon: IconLock,
    layout: 'public',
    load: () => import('./screens/NoPermission'),
  },
  {
    path: '/404',
    titleKey: 'session:notFound.title',
    icon: IconMapOff,
    layout: 'public',
    load: () => import('./screens/NotFound'),
  },
];
