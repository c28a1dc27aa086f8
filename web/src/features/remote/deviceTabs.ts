import type { DeviceTab } from '@/lib/deviceTabs';

export const deviceTabs: readonly DeviceTab[] = [
  { name: 'remote', titleKey: 'remote:tab', permission: 'DeviceManage', load: () => import('./screens/RemoteTab') },
];
