import { Alert } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { refusalOf } from './refusal';

/** Why something could not be opened, in its place. */
export function Refused({ error }: { error: unknown }): ReactElement | null {
  const { t } = useTranslation();
  if (error === null) return null;
  const refusal = refusalOf(error);
  return (
    <Alert color="red" role="alert" mt={12} data-testid="remote-error">
      {typeof refusal === 'string' ? refusal : t(refusal.key, { user: refusal.user })}
    </Alert>
  );
}
