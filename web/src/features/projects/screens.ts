import { all } from '@/lib/screens';
import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/group/index',
    titleKey: 'projects:title.tree',
    icon: 'folders',
    layout: 'admin',
    section: 'group',
    permission: all('ProjectManage', 'Monitor.DeviceMonitor'),
    load: () => import('./screens/Projects'),
  },
  {
    path: '/group/assignment',
    titleKey: 'projects:title.assignment',
    icon: 'folder-symlink',
    layout: 'admin',
    section: 'group',
    permission: all('ProjectDeployment', 'Monitor.DeviceMonitor'),
    load: () => import('./screens/Assignment'),
  },
];
