import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText, showSuccess } from '@/components/notices';
import { resetPassword } from '../api';
import type { UserRow } from '../api';
import type { Made } from './MadePassword';
import { NewPassword } from './NewPassword';
import { useFaults } from './useFaults';

interface Props {
  row: UserRow;
  /** made: null when a password was given. */
  onDone: (made: Made | null) => void;
  onClose: () => void;
}

/** A new password for somebody below: made by the cloud, or given. */
export default function ResetPassword({ row, onDone, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const faults = useFaults();
  const [how, setHow] = useState('made');
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const reset = useMutation({
    mutationFn: () => resetPassword(row.user_id, how === 'made' ? '' : password),
    meta: { errorInPlace: true },
    onSuccess: (made) => {
      if (made === null) showSuccess(t('users:password.changed'));
      onDone(made === null ? null : { name: row.user_name, password: made });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const passwordFault = how === 'made' ? null : faults.password(password);
    setFault(passwordFault);
    if (passwordFault === null && !reset.isPending) reset.mutate();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('users:password.reset', { name: row.user_name })}
      data-testid="reset-password"
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{t('users:password.ends')}</Text>
          <Radio.Group value={how} onChange={setHow} aria-label={t('users:password.how')}>
            <Stack gap="xs">
              <Radio value="made" label={t('users:password.make')} data-autofocus />
              <Radio value="given" label={t('users:password.give')} data-testid="reset-given" />
            </Stack>
          </Radio.Group>
          {how === 'made' ? null : (
            <NewPassword
              label={t('users:field.password')}
              userName={row.user_name}
              value={password}
              onChange={setPassword}
              error={fault}
              testId="reset-word"
            />
          )}
          <div role="alert">
            {reset.error === null ? null : (
              <Text size="sm" c="red">
                {errorText(reset.error)}
              </Text>
            )}
          </div>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('base:action.cancel')}
            </Button>
            <Button type="submit" loading={reset.isPending} data-testid="reset-submit">
              {t('users:password.doReset')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
