import { IconBellRinging, IconPlugConnected } from '@tabler/icons-react';
import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/alarm/alarmlog',
    titleKey: 'events:title.alarms',
    icon: IconBellRinging,
    layout: 'admin',
    section: 'alarm',
    permission: 'Event',
    load: () => import('./screens/AlarmLog'),
  },
  {
    path: '/alarm/onOffline',
    titleKey: 'events:title.onoff',
    icon: IconPlugConnected,
    layout: 'admin',
    section: 'alarm',
    permission: 'DeviceMonitor_Online',
    load: () => import('./screens/OnOffline'),
  },
];
