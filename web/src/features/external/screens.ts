import { NO_FLAGS } from '@/lib/screens';
import type { Gate, Screen } from '@/lib/screens';

/** Who has no OTA in this portal is led to the one outside. */
const withoutOta: Gate = ({ permissions, flags = NO_FLAGS }) => !(flags.ot !== 0 && permissions.includes('OtaManager'));

export const screens: readonly Screen[] = [
  {
    path: '/screen/custom',
    titleKey: 'external:screen',
    icon: 'external-link',
    layout: 'admin',
    section: 'screen',
    permission: 'CustScreen',
    external: 'screen',
    load: async () => ({ default: (await import('./screens/ExternalPage')).externalPage('screen') }),
  },
  {
    path: '/screen/gis',
    titleKey: 'external:gis',
    icon: 'external-link',
    layout: 'admin',
    section: 'screen',
    permission: 'GisScreen',
    external: 'gis',
    load: async () => ({ default: (await import('./screens/ExternalPage')).externalPage('gis') }),
  },
  {
    path: '/flow-link',
    titleKey: 'external:flow',
    icon: 'external-link',
    layout: 'admin',
    section: 'scada',
    permission: 'NodeManager',
    external: 'flow',
    load: async () => ({ default: (await import('./screens/ExternalPage')).externalPage('flow') }),
  },
  {
    path: '/ota-link',
    titleKey: 'external:ota',
    icon: 'external-link',
    layout: 'admin',
    section: 'ota',
    permission: withoutOta,
    external: 'ota',
    load: async () => ({ default: (await import('./screens/ExternalPage')).externalPage('ota') }),
  },
];
