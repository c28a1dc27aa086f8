import { Button, Group, Modal, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { forgetSession, session, useSession } from '@/lib/session';
import { unsaved } from '@/lib/unsaved';

const stay = (): void => session.setState({ isExpired: false });

function signInAgain(): void {
  unsaved.leave();
  forgetSession();
  window.location.reload();
}

/** The sign-in of another window counts here too, and what is entered here stays. */
function signInBeside(): void {
  window.open('/login', '_blank', 'noopener');
  stay();
}

/** The session ended on the server: sign in again, or stay to save what is on the screen. */
export function ExpiredDialog(): ReactElement {
  const { t } = useTranslation();
  const isExpired = useSession((state) => state.isExpired);
  const loses = isExpired && unsaved.isAny();
  return (
    <Modal opened={isExpired} onClose={stay} title={t('base:error.expiredTitle')} withCloseButton={false} zIndex={300}>
      <Text size="sm">{t('base:error.expired')}</Text>
      {loses ? (
        <Text size="sm" mt="xs" data-testid="session-expired-unsaved">
          {t('base:unsaved.expired')}
        </Text>
      ) : null}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={stay}>
          {t('base:action.cancel')}
        </Button>
        {loses ? (
          <Button onClick={signInBeside} data-testid="session-expired-beside">
            {t('base:unsaved.beside')}
          </Button>
        ) : null}
        <Button
          variant={loses ? 'default' : undefined}
          color={loses ? 'red' : undefined}
          onClick={signInAgain}
          data-testid="session-expired-ok"
        >
          {t(loses ? 'base:unsaved.giveUp' : 'base:action.ok')}
        </Button>
      </Group>
    </Modal>
  );
}
