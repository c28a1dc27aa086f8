import type { DeviceTab } from '@/lib/deviceTabs';

export const deviceTabs: readonly DeviceTab[] = [
  { name: 'alarm', titleKey: 'events:title.alarms', permission: 'Event', load: () => import('./screens/AlarmTab') },
];
