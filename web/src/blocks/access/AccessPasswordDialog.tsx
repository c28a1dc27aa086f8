import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useAsked } from '@/lib/accessPasswords';

/** Asks for a gateway's access password, whichever way somebody wants to write to it. */
export function AccessPasswordDialog(): ReactElement | null {
  const asked = useAsked();
  return asked === null ? null : <Ask key={`${asked.deviceId} ${asked.isWrong}`} asked={asked} />;
}

function Ask({ asked }: { asked: NonNullable<ReturnType<typeof useAsked>> }): ReactElement {
  const { t } = useTranslation();
  const [password, setPassword] = useState('');
  return (
    <Modal
      opened
      onClose={() => asked.answer(null)}
      title={t('base:accessPassword.title')}
      closeButtonProps={{ 'aria-label': t('base:action.close') }}
      zIndex={500}
      data-testid="access-dialog"
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          asked.answer(password);
        }}
      >
        <Stack gap="md">
          <Text size="sm">{t('base:accessPassword.about', { device: asked.device })}</Text>
          <PasswordInput
            label={t('base:accessPassword.label')}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={asked.isWrong ? t('base:accessPassword.wrong') : null}
            visibilityToggleButtonProps={{ 'aria-label': t('base:accessPassword.show') }}
            maxLength={200}
            autoComplete="off"
            required
            data-autofocus
            data-testid="access-password"
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => asked.answer(null)}>
              {t('base:action.cancel')}
            </Button>
            <Button type="submit" disabled={password === ''} data-testid="access-go">
              {t('base:accessPassword.go')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
