import { Alert, Button, Group, PasswordInput, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useUnsavedChanges } from '@/components/form/useUnsavedChanges';
import { errorText, showSuccess } from '@/components/notices';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { forgetAccessPassword } from '@/lib/accessPasswords';
import { formatDateTime } from '@/lib/time';
import { accessPasswordQuery, putAccessPassword } from '../api';
import type { DeviceDetail } from '../api';
import classes from '../monitor.module.css';

/** By the cloud. */
const SHORTEST = 6;

/** Whether writes to the gateway ask for a password; whom the gateway belongs to sets it or takes it away. */
export function AccessPasswordSettings({ device }: { device: DeviceDetail }): ReactElement | null {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const deviceId = device.id;
  const mayManage = useHindrance('DeviceManage', device) === '';
  const { data } = useQuery(accessPasswordQuery(deviceId));
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const put = useMutation({
    mutationFn: (next: string | null) => putAccessPassword(deviceId, next),
    meta: { errorInPlace: true },
    onSuccess: (_done, next) => {
      forgetAccessPassword(deviceId);
      setPassword('');
      setAgain('');
      showSuccess(t(next === null ? 'monitor:access.cleared' : 'monitor:access.saved'));
    },
    onSettled: () => cache.invalidateQueries({ queryKey: ['accesspassword', deviceId] }),
  });
  useUnsavedChanges(`${password}${again}` !== '');
  if (data === undefined) return null;
  const isShort = password !== '' && password.length < SHORTEST;
  const differs = again !== '' && again !== password;
  const may = mayManage && (data.changeable ?? false);
  const state = !data.is_set
    ? t('monitor:access.isNotSet')
    : !data.changeable
      ? t('monitor:access.asked')
      : t('monitor:access.isSet', {
          user: data.user ?? '',
          time: data.changed_ms ? formatDateTime(data.changed_ms) : '–',
        });
  const shared = {
    maxLength: 200,
    autoComplete: 'new-password',
  };
  return (
    <form
      className={classes.settings}
      aria-labelledby="access-title"
      onSubmit={(event) => {
        event.preventDefault();
        put.mutate(password);
      }}
      data-testid="access-settings"
    >
      <h2 id="access-title">{t('monitor:access.label')}</h2>
      <Text size="sm" c="dimmed" data-testid="access-state" data-set={data.is_set}>
        {state}
      </Text>
      {may ? (
        <>
          <PasswordInput
            {...shared}
            label={t('monitor:access.new')}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={isShort ? t('monitor:access.rule.short', { limit: SHORTEST }) : null}
            data-testid="access-new"
          />
          <PasswordInput
            {...shared}
            label={t('monitor:access.again')}
            value={again}
            onChange={(event) => setAgain(event.currentTarget.value)}
            error={differs ? t('monitor:access.rule.differs') : null}
            data-testid="access-again"
          />
          {put.error === null ? null : (
            <Alert color="red" role="alert">
              {errorText(put.error)}
            </Alert>
          )}
          <Group gap="sm">
            {data.is_set ? (
              <Button
                variant="default"
                loading={put.isPending}
                onClick={() => put.mutate(null)}
                data-testid="access-clear"
              >
                {t('monitor:access.clear')}
              </Button>
            ) : null}
            <Button
              type="submit"
              loading={put.isPending}
              disabled={password === '' || isShort || again !== password}
              data-testid="access-save"
            >
              {t(data.is_set ? 'monitor:access.change' : 'monitor:access.set')}
            </Button>
          </Group>
        </>
      ) : null}
    </form>
  );
}
