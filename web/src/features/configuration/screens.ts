import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/device/deviceTask',
    titleKey: 'configuration:tasks.title',
    icon: 'list-details',
    layout: 'admin',
    section: 'device',
    permission: 'DeviceManage',
    load: () => import('./screens/DeviceTasks'),
  },
];
