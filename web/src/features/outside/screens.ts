import { NO_FLAGS } from '@/lib/screens';
import type { Gate, Screen } from '@/lib/screens';

/** Who has no OTA in this portal is led to the one outside. */
const withoutOta: Gate = ({ permissions, flags = NO_FLAGS }) =>
  !(flags.ot !== 0 && flags.announced !== 0 && permissions.includes('OtaManager'));

export const screens: readonly Screen[] = [
  {
    path: '/screen/custom',
    titleKey: 'outside:screen',
    icon: 'external-link',
    layout: 'admin',
    section: 'screen',
    permission: 'CustScreen',
    external: 'screen',
    load: async () => ({ default: (await import('./screens/Outside')).outside('screen') }),
  },
  {
    path: '/screen/gis',
    titleKey: 'outside:gis',
    icon: 'external-link',
    layout: 'admin',
    section: 'screen',
    permission: 'GisScreen',
    external: 'gis',
    load: async () => ({ default: (await import('./screens/Outside')).outside('gis') }),
  },
  {
    path: '/flow-link',
    titleKey: 'outside:flow',
    icon: 'external-link',
    layout: 'admin',
    section: 'scada',
    permission: 'NodeManager',
    external: 'flow',
    load: async () => ({ default: (await import('./screens/Outside')).outside('flow') }),
  },
  {
    path: '/ota-link',
    titleKey: 'outside:ota',
    icon: 'external-link',
    layout: 'admin',
    section: 'ota',
    permission: withoutOta,
    external: 'ota',
    load: async () => ({ default: (await import('./screens/Outside')).outside('ota') }),
  },
];
