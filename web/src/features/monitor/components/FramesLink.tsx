import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { mayOpenTab, otherDeviceTabs } from '@/lib/deviceTabs';
import { useScreenLink } from '@/lib/navigation';
import { useAccess } from '@/lib/session';
import classes from '../monitor.module.css';

interface Props {
  deviceId: number;
  slave: { name: string; title: string };
}

/** To the remote tab, which opens the gateway's own page at the frames of this slave's port. */
export function FramesLink({ deviceId, slave }: Props): ReactElement | null {
  const { t } = useTranslation();
  const access = useAccess();
  const remote = otherDeviceTabs().find(({ name }) => name === 'remote');
  const link = useScreenLink('/deviceDetail/index', { device_id: deviceId, tab: 'remote', frames: slave.name });
  if (remote === undefined || !mayOpenTab(remote, access)) return null;
  return (
    <a
      {...link}
      className={classes.factLink}
      aria-label={t('monitor:slave.framesOf', { name: slave.title })}
      data-testid={`frames-${slave.name}`}
    >
      {t('monitor:slave.frames')}
    </a>
  );
}
