import { Alert } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

const DAY_S = 86_400;

/** Says that the database itself deletes samples of an age, whatever is set here. limitS: null where it does not. */
export function OwnLimit({ limitS }: { limitS: number | null }): ReactElement | null {
  const { t } = useTranslation();
  if (limitS === null) return null;
  return (
    <Alert
      color="orange"
      title={t('base:retention.ownLimit', { days: Math.round((10 * limitS) / DAY_S) / 10 })}
      data-testid="retention-own-limit"
    >
      {t('base:retention.ownLimitText')}
    </Alert>
  );
}
