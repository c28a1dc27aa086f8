import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { forgetSession, session, useSession } from '@/lib/session';

function signInAgain(): void {
  forgetSession();
  window.location.reload();
}

/** The session ended on the server: sign in again, or stay to save what is on the screen. */
export function ExpiredDialog(): ReactElement {
  const { t } = useTranslation();
  const isExpired = useSession((state) => state.isExpired);
  const stay = (): void => session.setState({ isExpired: false });
  return (
    <Modal opened={isExpired} onClose={stay} title={t('base:error.expiredTitle')} withCloseButton={false}>
      <Text size="sm">{t('base:error.expired')}</Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={stay}>
          {t('base:action.cancel')}
        </Button>
        <Button onClick={signInAgain} data-testid="session-expired-ok">
          {t('base:action.ok')}
        </Button>
      </Group>
    </Modal>
  );
}
