import { Button, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/errors';
import { errorText } from './notices';
import classes from './states.module.css';

interface Props {
  error: unknown;
  onRetry: () => void;
}

/** What went wrong in one sentence, a way to try again, and the request's number to tell the support. */
export function Trouble({ error, onRetry }: Props): ReactElement {
  const { t } = useTranslation();
  const requestId = error instanceof ApiError ? error.facts.requestId : '';
  return (
    <div className={classes.state} role="alert" data-testid="error-state">
      <IconAlertTriangle size={32} stroke={1.4} aria-hidden className={classes.bad} />
      <Text fw={600}>{errorText(error) || t('base:error.failed')}</Text>
      {requestId === '' ? null : (
        <Text size="xs" c="dimmed">
          {t('base:error.request')} <code>{requestId}</code>
        </Text>
      )}
      <Button variant="default" onClick={onRetry}>
        {t('base:action.retry')}
      </Button>
    </div>
  );
}
