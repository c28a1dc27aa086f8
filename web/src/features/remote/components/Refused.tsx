import { Alert } from '@mantine/core';
import type { ReactElement } from 'react';
import { errorText } from '@/components/notices';

/** Why something could not be opened, in its place. */
export function Refused({ error }: { error: unknown }): ReactElement | null {
  if (error === null) return null;
  return (
    <Alert color="red" role="alert" mt={12} data-testid="remote-error">
      {errorText(error)}
    </Alert>
  );
}
