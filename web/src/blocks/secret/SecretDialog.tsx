import { Button, Group, Modal } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { NewDevice } from '@/api/generated/types.gen';
import { Secret, SecretSteps } from './Secret';

/** The secret of a gateway, shown this once; only the button closes it. */
export function SecretDialog({
  title,
  made,
  onClose,
}: {
  title: string;
  made: NewDevice;
  onClose: () => void;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      data-testid="secret-dialog"
    >
      <Secret made={made} />
      <SecretSteps />
      <Group justify="flex-end" mt="md">
        <Button onClick={onClose} data-testid="secret-kept">
          {t('base:secret.kept')}
        </Button>
      </Group>
    </Modal>
  );
}
