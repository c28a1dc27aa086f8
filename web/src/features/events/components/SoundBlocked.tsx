import { ActionIcon, Tooltip } from '@mantine/core';
import { IconVolumeOff } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { allowSounds, useSound } from '@/lib/sounds';
import classes from '../events.module.css';

/** Says that the browser lets this page make no sound, until it is clicked. */
export function SoundBlocked(): ReactElement | null {
  const { t } = useTranslation();
  const isBlocked = useSound(({ state, muted }) => state === 'blocked' && !muted);
  if (!isBlocked) return null;
  return (
    <Tooltip label={t('events:sound.blocked')}>
      <ActionIcon
        variant="subtle"
        color="orange"
        size="lg"
        className={classes.blocked}
        onClick={() => void allowSounds()}
        aria-label={t('events:sound.blocked')}
        data-testid="sound-blocked"
      >
        <IconVolumeOff size={20} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
