import { all } from '@/lib/screens';
import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/monitor/deviceMap',
    titleKey: 'map:title.map',
    icon: 'map',
    layout: 'admin',
    section: 'monitor',
    permission: 'Monitor.DeviceMap',
    load: () => import('./screens/DeviceMap'),
  },
  {
    path: '/monitor/deviceLocation',
    aliases: ['/deviceLocation'],
    titleKey: 'map:title.location',
    icon: 'map-pin',
    layout: 'admin',
    section: 'monitor',
    permission: 'Monitor.DeviceLocation',
    load: () => import('./screens/DeviceLocation'),
  },
  {
    path: '/gisScreen/screen',
    titleKey: 'map:title.gis',
    icon: 'world',
    layout: 'fullscreen',
    section: 'screen',
    permission: all('GisScreen', 'Monitor.DeviceMap'),
    load: () => import('./screens/GisScreen'),
  },
];
