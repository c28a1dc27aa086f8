import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePasswordQuestion } from '@/lib/accessPasswords';

/** Asks for a gateway's access password, whichever way somebody wants to write to it. */
export function AccessPasswordDialog(): ReactElement | null {
  const question = usePasswordQuestion();
  return question === null ? null : <Ask key={`${question.deviceId} ${question.isWrong}`} question={question} />;
}

function Ask({ question }: { question: NonNullable<ReturnType<typeof usePasswordQuestion>> }): ReactElement {
  const { t } = useTranslation();
  const [password, setPassword] = useState('');
  return (
    <Modal
      opened
      onClose={() => question.answer(null)}
      title={t('base:accessPassword.title')}
      zIndex={500}
      data-testid="access-dialog"
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          question.answer(password);
        }}
      >
        <Stack gap="md">
          <Text size="sm">{t('base:accessPassword.about', { device: question.device })}</Text>
          <PasswordInput
            label={t('base:accessPassword.label')}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={question.isWrong ? t('base:accessPassword.wrong') : null}
            maxLength={200}
            autoComplete="off"
            required
            data-autofocus
            data-testid="access-password"
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => question.answer(null)}>
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
