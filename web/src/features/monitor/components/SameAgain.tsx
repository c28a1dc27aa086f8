import { Alert, Button, Group } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** What was just sent goes out once more on purpose only: by a button that the second click of a double click cannot meet. */
export function SameAgain({ isHindered, onAgain }: { isHindered: boolean; onAgain: () => void }): ReactElement {
  const { t } = useTranslation();
  return (
    <Alert color="gray" role="status" data-testid="same-again">
      <Group justify="space-between" gap="sm">
        {t('monitor:command.sameAgain')}
        <Button
          variant="default"
          size="xs"
          disabled={isHindered}
          onClick={(event) => {
            if (event.detail < 2) onAgain();
          }}
          data-testid="send-again"
        >
          {t('monitor:command.again')}
        </Button>
      </Group>
    </Alert>
  );
}
