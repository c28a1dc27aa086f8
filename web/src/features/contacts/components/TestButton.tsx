import { ActionIcon, Tooltip } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** Opens the test of a row. */
export function TestButton({ name, onClick }: { name: string; onClick: () => void }): ReactElement {
  const { t } = useTranslation();
  const label = t('contacts:test.of', { name });
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" onClick={onClick} aria-label={label} data-testid="row-test">
        <IconSend size={16} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
