import type { DeviceTab } from '@/lib/deviceTabs';
import { all } from '@/lib/screens';

export const deviceTabs: readonly DeviceTab[] = [
  {
    name: 'upgrades',
    titleKey: 'firmware:tab.upgrades',
    permission: all('OtaManager', 'ota.Log'),
    cloudFlag: 'ot',
    load: () => import('./screens/UpgradesTab'),
  },
];
