import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/errors';
import { errorText } from '@/components/notices';
import classes from './layout.module.css';

/** Nobody answered, or what stands before the cloud did. */
function isUnanswered(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { cause, code, status } = error.facts;
  return cause !== 'reply' || (code === null && (status ?? 0) >= 500);
}

/** The page could not even be prepared: no connection, or a fault of ours. */
export function PageError({ error }: ErrorComponentProps): ReactElement {
  const { t } = useTranslation();
  return (
    <main className={classes.trouble}>
      <IconAlertTriangle size={36} stroke={1.4} aria-hidden />
      <h1>{t(isUnanswered(error) ? 'base:trouble.noAnswer' : 'base:trouble.title')}</h1>
      <p role="alert">{errorText(error)}</p>
      <Button variant="default" onClick={() => window.location.reload()}>
        {t('base:action.retry')}
      </Button>
    </main>
  );
}
