import { Alert } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ScreenLink } from '@/components/ScreenLink';

interface Props {
  deviceId: number;
  hash: string;
  /** What else its deployment costs, in words. */
  cost?: string;
}

/** What is edited is not at the gateway yet, what bringing it there costs, and the way there. */
export function DraftNotice({ deviceId, hash, cost = '' }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <Alert color="yellow" mb="sm" role="status" data-testid="draft-notice">
      {t('base:draftNotice.text')} {t('base:draftNotice.cost')} {cost}{' '}
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
