import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconInfoCircle,
  IconPlugConnectedX,
} from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import type { BadgeTone } from '@/lib/statusCodes';
import classes from './tone.module.css';

const ICONS = {
  ok: IconCircleCheck,
  warn: IconAlertTriangle,
  bad: IconAlertTriangle,
  off: IconCircleDashed,
  info: IconInfoCircle,
};

interface Props {
  tone: BadgeTone;
  icon?: 'plug';
  strong?: boolean;
  children: ReactNode;
}

/** A state as icon and word. What is normal stays quiet. */
export function ToneText({ tone, icon, strong = false, children }: Props): ReactElement {
  const Icon = icon === 'plug' ? IconPlugConnectedX : ICONS[tone];
  return (
    <span className={classes.tone} data-tone={tone} data-strong={strong}>
      <Icon size={16} stroke={1.8} aria-hidden />
      <span>{children}</span>
    </span>
  );
}
