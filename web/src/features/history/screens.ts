import { all } from '@/lib/screens';
import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/dataCenter/hisData',
    aliases: ['/hisData'],
    titleKey: 'history:title',
    icon: 'chart-line',
    layout: 'admin',
    section: 'dataCenter',
    permission: all('HisData', 'Monitor.DeviceMonitor'),
    tabKeys: ['product_id', 'gateway_id', 'device_id', 'dsids'],
    load: () => import('./screens/HistoryPage'),
  },
];

/** In the menu beside the system's settings. */
export const settings: readonly Screen[] = [
  {
    path: '/other/dataRetention',
    titleKey: 'history:retention.title',
    icon: 'history',
    layout: 'admin',
    section: 'other',
    permission: 'SystemSetting',
    load: () => import('./screens/RetentionPage'),
  },
];
