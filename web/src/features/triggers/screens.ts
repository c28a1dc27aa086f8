import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/alarm/trigger',
    titleKey: 'triggers:title.list',
    icon: 'adjustments',
    layout: 'admin',
    section: 'alarm',
    permission: 'Trigger/index',
    aliases: ['/trigger'],
    load: () => import('./screens/TriggerList'),
  },
  {
    path: '/alarm/trigger/addTrigger',
    titleKey: 'triggers:title.add',
    icon: 'adjustments',
    layout: 'admin',
    section: 'alarm',
    permission: 'Trigger/index',
    hidden: true,
    aliases: ['/trigger/addTrigger'],
    load: () => import('./screens/AddTrigger'),
  },
  {
    path: '/alarm/trigger/editTrigger',
    titleKey: 'triggers:title.edit',
    icon: 'adjustments',
    layout: 'admin',
    section: 'alarm',
    permission: 'Trigger/index',
    hidden: true,
    aliases: ['/trigger/editTrigger'],
    tabKeys: ['id'],
    load: () => import('./screens/EditTrigger'),
  },
];
