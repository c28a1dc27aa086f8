import { all } from '@/lib/screens';
import type { Screen } from '@/lib/screens';

const OTA = { layout: 'admin', section: 'ota', cloudFlag: 'ot' } as const;

export const screens: readonly Screen[] = [
  {
    ...OTA,
    path: '/ota/project',
    titleKey: 'firmware:projects.title',
    icon: 'folders',
    permission: all('OtaManager', 'ota.Project'),
    load: () => import('./screens/FirmwareProjects'),
  },
  {
    ...OTA,
    path: '/ota/firmware',
    titleKey: 'firmware:title',
    icon: 'cpu',
    permission: all('OtaManager', 'ota.Firmware'),
    places: [
      { nameKey: 'firmware:tab.plans', search: { tab: 'plans' } },
      { nameKey: 'firmware:file.title', search: { tab: 'files' } },
      { nameKey: 'firmware:key.title', search: { tab: 'keys' } },
    ],
    load: () => import('./screens/Firmware'),
  },
  {
    ...OTA,
    path: '/ota/app',
    titleKey: 'firmware:apps.title',
    icon: 'package',
    permission: all('OtaManager', 'ota.App'),
    load: () => import('./screens/Applications'),
  },
  {
    ...OTA,
    path: '/ota/log',
    titleKey: 'firmware:log.title',
    icon: 'history',
    permission: all('OtaManager', 'ota.Log'),
    load: () => import('./screens/UpgradeLog'),
  },
];
