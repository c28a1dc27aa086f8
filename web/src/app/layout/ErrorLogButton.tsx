import { ActionIcon, Indicator } from '@mantine/core';
import { IconBug } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorLog } from '@/lib/errorLog';

const ErrorLogDialog = lazy(() => import('./ErrorLogDialog'));

/** There only when errors were captured. */
export function ErrorLogButton(): ReactElement | null {
  const { t } = useTranslation();
  const count = useErrorLog((log) => log.errors.length);
  const [open, setOpen] = useState(false);
  if (count === 0) return null;
  return (
    <>
      <Indicator label={count} size={16} color="red" offset={4}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          onClick={() => setOpen(true)}
          aria-label={t('base:errorLog.open', { count })}
          data-testid="error-log"
        >
          <IconBug size={20} stroke={1.6} />
        </ActionIcon>
      </Indicator>
      {open ? (
        <Suspense fallback={null}>
          <ErrorLogDialog onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
