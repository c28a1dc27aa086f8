import { Button, Modal, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/time';
import type { Moved } from '../moved';

interface Props {
  /** Who saved meanwhile; null: nobody. */
  moved: Moved | null;
  /** Go on editing; nothing is saved. */
  onClose: () => void;
  /** Give up what was entered and begin with what is there. */
  onReload: () => void;
  /** Save what was entered in place of what is there. */
  onOver: () => void;
}

/** Somebody else saved the trigger first: who edits decides which one counts. */
export function MovedDialog({ moved, onClose, onReload, onOver }: Props): ReactElement {
  const { t } = useTranslation();
  const by = moved === null ? '' : moved.user || t('triggers:moved.somebody');
  return (
    <Modal opened={moved !== null} onClose={onClose} title={t('triggers:moved.title')} data-testid="trigger-moved">
      <Stack gap="md">
        <Text size="sm">
          {moved === null ? '' : t('triggers:moved.who', { user: by, time: formatDateTime(moved.changedMs) })}
        </Text>
        <Button variant="default" onClick={onReload} data-testid="moved-reload">
          {t('triggers:moved.reload')}
        </Button>
        <Button variant="default" onClick={onOver} data-testid="moved-over">
          {t('triggers:moved.over')}
        </Button>
        <Button onClick={onClose} data-testid="moved-on">
          {t('triggers:moved.goOn')}
        </Button>
      </Stack>
    </Modal>
  );
}
