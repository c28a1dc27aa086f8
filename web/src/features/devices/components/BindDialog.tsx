import { Modal } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { BindForm } from './BindForm';

/** Bind a gateway without leaving the list. */
export default function BindDialog({ onClose }: { onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  return (
    <Modal opened onClose={onClose} title={t('devices:bind.title')} data-testid="bind-dialog">
      <BindForm code="" onBound={onClose} />
    </Modal>
  );
}
