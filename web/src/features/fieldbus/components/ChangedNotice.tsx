import { Alert, Button, Group } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Changed } from '../api';

interface Props {
  changed: Changed;
  onOverwrite: () => void;
  /** What was entered is given up for what the other one left. */
  onDiscard: () => void;
}

/** Somebody else changed the same first: what, and what is to become of what is entered here. */
export function ChangedNotice({ changed: { what, author }, onOverwrite, onDiscard }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <Alert color="yellow" role="alert" data-testid="section-changed">
      {t('fieldbus:changed.text', { who: author || t('fieldbus:changed.somebody'), what })}
      <Group gap="xs" mt="xs">
        <Button size="xs" onClick={onOverwrite} data-testid="changed-overwrite">
          {t('fieldbus:changed.overwrite')}
        </Button>
        <Button size="xs" variant="default" onClick={onDiscard} data-testid="changed-discard">
          {t('fieldbus:changed.discard')}
        </Button>
      </Group>
    </Alert>
  );
}
