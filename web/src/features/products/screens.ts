import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/other/product',
    titleKey: 'products:title',
    icon: 'package',
    layout: 'admin',
    section: 'other',
    permission: 'Product',
    aliases: ['/product'],
    load: () => import('./screens/ProductList'),
  },
];
