import { Group, Modal } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useOwnEntries } from './components/useOwnEntries';

/** The user's own buttons of the top bar; opened from the nickname menu. Escape closes what lies on top first. */
export default function QuickEntriesDialog({ onClose }: { onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const { add, list, layer } = useOwnEntries();
  return (
    <>
      <Modal
        opened
        onClose={onClose}
        closeOnEscape={layer === null}
        trapFocus={layer === null}
        title={t('platform:title.platform')}
        size="lg"
        centered={false}
        data-testid="quick-dialog"
      >
        {list}
        <Group justify="flex-end" mt="md">
          {add}
        </Group>
      </Modal>
      {layer}
    </>
  );
}
