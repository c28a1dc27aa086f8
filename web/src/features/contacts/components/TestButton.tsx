import { Button } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** Opens the test of a row. */
export function TestButton({ name, onClick }: { name: string; onClick: () => void }): ReactElement {
  const { t } = useTranslation();
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      leftSection={<IconSend size={14} stroke={1.6} />}
      onClick={onClick}
      aria-label={t('contacts:test.of', { name })}
      data-testid="row-test"
    >
      {t('contacts:test.do')}
    </Button>
  );
}
