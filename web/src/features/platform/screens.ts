import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/user/auditLog',
    titleKey: 'platform:title.audit',
    icon: 'list-details',
    layout: 'admin',
    section: 'user',
    permission: 'auth.Audit',
    load: () => import('./screens/AuditLog'),
  },
  {
    path: '/user/customize',
    titleKey: 'platform:title.customize',
    icon: 'palette',
    layout: 'admin',
    section: 'user',
    permission: 'auth.Customize',
    userTypes: [0],
    load: () => import('./screens/Customize'),
  },
  {
    path: '/other/platform',
    aliases: ['/platform'],
    titleKey: 'platform:title.platform',
    icon: 'pointer',
    layout: 'admin',
    section: 'other',
    permission: 'Customize/index',
    load: () => import('./screens/QuickEntries'),
  },
  {
    path: '/other/systemSetting',
    aliases: ['/systemSetting'],
    titleKey: 'platform:title.systemSetting',
    icon: 'adjustments',
    layout: 'admin',
    section: 'other',
    permission: 'SystemSetting',
    load: () => import('./screens/SystemSetting'),
  },
];
