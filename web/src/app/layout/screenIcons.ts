import {
  IconAdjustments, IconBellRinging, IconChecklist, IconClockHour4, IconExternalLink, IconHistory, IconListDetails,
  IconLock, IconLogin, IconMapOff, IconPalette, IconPlugConnected, IconPointer, IconRouter, IconServer2, IconShieldCheck,
  IconShieldCog, IconUserCircle, IconUserPlus, IconUsers,
} from '@tabler/icons-react';
import type { Icon, IconName } from '@/lib/screens';

/** Drawn by the layouts only: records of screens name their icons, so that the sign-in page loads none of them. */
export const SCREEN_ICONS: Readonly<Record<IconName, Icon>> = {
  adjustments: IconAdjustments,
  'bell-ringing': IconBellRinging,
  checklist: IconChecklist,
  'clock-hour-4': IconClockHour4,
  'external-link': IconExternalLink,
  history: IconHistory,
  'list-details': IconListDetails,
  lock: IconLock,
  login: IconLogin,
  'map-off': IconMapOff,
  palette: IconPalette,
  'plug-connected': IconPlugConnected,
  pointer: IconPointer,
  router: IconRouter,
  'server-2': IconServer2,
  'shield-check': IconShieldCheck,
  'shield-cog': IconShieldCog,
  'user-circle': IconUserCircle,
  'user-plus': IconUserPlus,
  users: IconUsers,
};
