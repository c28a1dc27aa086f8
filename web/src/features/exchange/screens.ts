import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/other/dataExchange',
    titleKey: 'exchange:title',
    icon: 'transfer',
    layout: 'admin',
    section: 'other',
    permission: 'DataExchange',
    aliases: ['/dataExchange'],
    load: () => import('./screens/ExchangeRules'),
  },
];
