import type { DeviceTab } from '@/lib/deviceTabs';

export const deviceTabs: readonly DeviceTab[] = [
  { name: 'completeness', titleKey: 'completeness:title', load: () => import('./screens/CompletenessTab') },
];
