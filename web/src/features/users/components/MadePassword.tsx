import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyText } from '@/components/CopyText';

export interface Made {
  name: string;
  password: string;
}

/** A password that the cloud made: shown this once, and closed by its button only. */
export function MadePassword({ made, onClose }: { made: Made; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('users:made.title', { name: made.name })}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      data-testid="made-password"
    >
      <Stack gap="sm">
        <Text size="sm">{t('users:made.text')}</Text>
        <Text size="lg">
          <CopyText text={made.password} testId="made-password-text" />
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus data-testid="made-password-close">
            {t('users:made.close')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
