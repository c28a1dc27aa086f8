import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/other/timedTask',
    titleKey: 'tasks:title',
    icon: 'clock-hour-4',
    layout: 'admin',
    section: 'other',
    permission: 'DeviceCronTasks/index',
    aliases: ['/timedTask'],
    load: () => import('./screens/TimedTasks'),
  },
];
