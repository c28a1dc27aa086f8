import type { DeviceTab } from '@/lib/deviceTabs';

export const deviceTabs: readonly DeviceTab[] = [
  { name: 'forwarding', titleKey: 'forwarding:tab', load: () => import('./screens/ForwardingTab') },
];
