import { Alert } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ScreenLink } from '@/components/ScreenLink';

/** What is edited is not at the gateway yet, and the way there. */
export function DraftNotice({ deviceId, hash }: { deviceId: number; hash: string }): ReactElement {
  const { t } = useTranslation();
  return (
    <Alert color="yellow" mb="sm" role="status" data-testid="draft-notice">
      {t('base:draftNotice.text')}{' '}
      <ScreenLink
        path="/deviceDetail/index"
        search={{ device_id: deviceId, tab: 'configuration', deploy: hash }}
        data-testid="draft-deploy"
      >
        {t('base:draftNotice.deploy')}
      </ScreenLink>
    </Alert>
  );
}
