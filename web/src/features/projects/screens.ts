import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/group/index',
    titleKey: 'projects:title.tree',
    icon: 'folders',
    layout: 'admin',
    section: 'group',
    permission: 'ProjectManage',
    load: () => import('./screens/Projects'),
  },
  {
    path: '/group/assignment',
    titleKey: 'projects:title.assignment',
    icon: 'folder-symlink',
    layout: 'admin',
    section: 'group',
    permission: 'ProjectDeployment',
    load: () => import('./screens/Assignment'),
  },
];
