import { Skeleton, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './states.module.css';

export function PageSkeleton({ rows = 8 }: { rows?: number }): ReactElement {
  const { t } = useTranslation();
  return (
    <div className={classes.late} role="status" aria-label={t('base:loading')} data-testid="loading-state">
      <Stack gap={10} p="md">
        {Array.from({ length: rows }, (_, row) => (
          <Skeleton key={row} height={28} radius={3} />
        ))}
      </Stack>
    </div>
  );
}
