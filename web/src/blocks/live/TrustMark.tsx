import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconClockExclamation,
  IconClockPause,
  IconPlugConnectedX,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { toneOf } from '@/lib/quality';
import type { Trust } from '@/lib/quality';
import classes from './live.module.css';

const ICONS: Record<Trust, typeof IconAlertTriangle> = {
  good: IconCircleCheck,
  notYetRead: IconCircleDashed,
  none: IconCircleDashed,
  stale: IconClockPause,
  uncertainTime: IconClockExclamation,
  badFrame: IconAlertTriangle,
  outOfRange: IconAlertTriangle,
  deviceError: IconAlertTriangle,
  unknown: IconAlertTriangle,
  deviceOffline: IconPlugConnectedX,
  portDown: IconPlugConnectedX,
  portLent: IconPlugConnectedX,
  gatewayOffline: IconPlugConnectedX,
  cut: IconPlugConnectedX,
};

/** Quality as icon and word; colour only repeats what they say. */
export function TrustMark({ state }: { state: Trust }): ReactElement {
  const { t } = useTranslation();
  const Icon = ICONS[state];
  return (
    <span className={classes.trust} data-tone={toneOf(state)} data-trust={state}>
      <Icon size={16} stroke={1.8} aria-hidden />
      <span>{t(`base:trust.${state}`)}</span>
    </span>
  );
}
