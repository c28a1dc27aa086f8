import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText, showSuccess } from '@/components/notices';
import { bindDevice, renewDevices } from '../api';
import type { Bound } from '../api';
import { bindCodeOf } from '../bindCode';
import { Scanner } from './Scanner';

/** Bind a gateway by its QR code: scanned, from a picture, or typed. code: what the address brought along. */
export function BindForm({ code, onBound }: { code: string; onBound: (bound: Bound) => void }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [text, setText] = useState(code);
  const [title, setTitle] = useState('');
  const wanted = bindCodeOf(text);
  const bind = useMutation({
    mutationFn: (scannedCode: string) => bindDevice(scannedCode, title.trim()),
    meta: { errorInPlace: true },
    onSuccess: (bound) => {
      renewDevices(cache);
      showSuccess(t(`devices:bind.done.${bound.role}`, { title: bound.device_title }));
      onBound(bound);
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted !== null) bind.mutate(wanted);
      }}
    >
      <Stack>
        <p>
          {t('devices:bind.text')}
          <br />
          {t('devices:bind.outcome')}
        </p>
        <Scanner onText={(scanned) => setText(bindCodeOf(scanned) ?? scanned)} />
        <TextInput
          label={t('devices:bind.code')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={text !== '' && wanted === null ? t('devices:bind.noCode') : undefined}
          required
          data-autofocus
          data-testid="bind-text"
        />
        <TextInput
          label={t('devices:field.binder_devtitle')}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          maxLength={200}
        />
        {bind.error === null ? null : (
          <Alert color="red" role="alert">
            {errorText(bind.error)}
          </Alert>
        )}
      </Stack>
      <Group justify="flex-end" mt="md">
        <Button type="submit" disabled={wanted === null} loading={bind.isPending} data-testid="bind-do">
          {t('devices:bind.do')}
        </Button>
      </Group>
    </form>
  );
}
