import type { DeviceTab } from '@/lib/deviceTabs';

export const deviceTabs: readonly DeviceTab[] = [
  { name: 'internalSlave', titleKey: 'fieldbus:slave.title', load: () => import('./screens/InternalSlaveTab') },
  { name: 'loopWrites', titleKey: 'fieldbus:task.title', load: () => import('./screens/LoopWritesTab') },
];
