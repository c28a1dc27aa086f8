import { Alert, Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import * as sdk from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import { deviceTitle } from '@/lib/deviceTitle';
import type { Titled } from '@/lib/deviceTitle';
import { errorText } from '@/components/notices';
import { refusalText } from '@/components/refusal';
import { SecretDialog } from './SecretDialog';

interface Props {
  device: Titled & { id: number; gateway_id: string };
  onClose: () => void;
}

/** A new secret for a gateway whose secret was lost: asks with the serial number, then shows it this once. */
export default function RenewSecret({ device, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [typed, setTyped] = useState('');
  const title = deviceTitle(device);
  const renew = useMutation({
    meta: { errorInPlace: true },
    mutationFn: () => call(sdk.renewSecret({ path: { device_id: device.id } })),
    onSuccess: () => {
      void cache.invalidateQueries({ queryKey: ['devices'] });
      void cache.invalidateQueries({ queryKey: ['device', device.id] });
    },
    gcTime: 0,
  });
  if (renew.data !== undefined)
    return <SecretDialog title={t('base:secret.renewed', { title })} made={renew.data} onClose={onClose} />;
  const mayGo = typed.trim() === device.gateway_id;
  return (
    <Modal
      opened
      onClose={() => void (renew.isPending || onClose())}
      title={t('base:secret.renewTitle', { title })}
      data-testid="renew-dialog"
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (mayGo) renew.mutate();
        }}
      >
        <Alert color="red" mb="sm">
          {t('base:secret.cutOff')}
        </Alert>
        <Text size="sm">{t('base:secret.renewText')}</Text>
        <TextInput
          mt="sm"
          label={t('base:confirm.type', { text: device.gateway_id })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
          data-testid="renew-typed"
        />
        <div role="alert">
          {renew.error === null ? null : (
            <Text size="sm" c="red" mt="sm" data-testid="renew-refused">
              {refusalText(renew.error) ?? errorText(renew.error)}
            </Text>
          )}
        </div>
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose} disabled={renew.isPending}>
            {t('base:action.cancel')}
          </Button>
          <Button type="submit" color="red" disabled={!mayGo} loading={renew.isPending} data-testid="renew-yes">
            {t('base:secret.renew')}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
