import { ActionIcon, Tooltip } from '@mantine/core';
import { IconArrowsMaximize, IconArrowsMinimize } from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { showNotice } from '@/components/notices';

function onChange(listener: () => void): () => void {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
}

/** The whole display for the page, and back. Some browsers (phones) cannot. */
export function FullscreenToggle(): ReactElement {
  const { t } = useTranslation();
  const isFull = useSyncExternalStore(onChange, () => document.fullscreenElement !== null);
  const label = t(isFull ? 'base:wall.leaveFull' : 'base:wall.full');
  const Icon = isFull ? IconArrowsMinimize : IconArrowsMaximize;
  const toggle = async (): Promise<void> => {
    try {
      if (!document.fullscreenEnabled) throw new TypeError('no full screen');
      await (isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen());
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      showNotice(t('base:wall.noFull'));
    }
  };
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        onClick={() => void toggle()}
        aria-label={label}
        data-testid="wall-full"
      >
        <Icon size={20} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
