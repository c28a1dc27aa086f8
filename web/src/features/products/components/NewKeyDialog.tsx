import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyText } from '@/components/CopyText';

export interface MadeKey {
  name: string;
  key: string;
}

/** A new API key: shown this once, and closed by its button only. */
export function NewKeyDialog({ made, onClose }: { made: MadeKey; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('products:key.title', { name: made.name })}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      data-testid="product-key"
    >
      <Stack gap="sm">
        <Text size="sm">{t('products:key.text')}</Text>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <CopyText text={made.key} testId="product-key-text" />
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus data-testid="product-key-close">
            {t('products:key.close')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
