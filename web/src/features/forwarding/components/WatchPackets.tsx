import { ActionIcon } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import { mayOpen, screenAt } from '@/lib/screens';
import { useAccess } from '@/lib/session';

const TRACE = '/ota/strace';

/** The way to the target's packets in the trace of its gateway, for who may open that. */
export function WatchPackets({ deviceId, target }: { deviceId: number; target: string }): ReactElement | null {
  const { t } = useTranslation();
  const access = useAccess();
  const link = useScreenLink(TRACE, { gateway: deviceId, source: target });
  const screen = screenAt(TRACE);
  if (screen === undefined || !mayOpen(screen, access)) return null;
  const words = t('forwarding:action.watch', { name: target });
  return (
    <ActionIcon
      component="a"
      variant="subtle"
      size="md"
      aria-label={words}
      title={words}
      data-testid="target-watch"
      {...link}
    >
      <IconListDetails size={16} />
    </ActionIcon>
  );
}
