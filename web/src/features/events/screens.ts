import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/alarm/alarmlog',
    titleKey: 'events:title.alarms',
    icon: 'bell-ringing',
    layout: 'admin',
    section: 'alarm',
    permission: 'Event',
    load: () => import('./screens/AlarmLog'),
  },
  {
    path: '/alarm/onOffline',
    titleKey: 'events:title.onoff',
    icon: 'plug-connected',
    layout: 'admin',
    section: 'alarm',
    permission: 'DeviceMonitor_Online',
    load: () => import('./screens/OnOffline'),
  },
];
