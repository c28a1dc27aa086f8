import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/alarm/trigger/contact',
    titleKey: 'contacts:title',
    icon: 'address-book',
    layout: 'admin',
    section: 'alarm',
    permission: 'TriggerContact/index',
    aliases: ['/trigger/contact'],
    load: () => import('./screens/Contacts'),
  },
];
