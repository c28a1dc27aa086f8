import { Button, Group, Stack, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/components/notices';
import { useConfirm } from '@/components/useConfirm';
import { cancel } from '../api';
import type { DeploymentDetail } from '../api';
import { mayCancel } from '../deployment';
import type { Guard } from './useGuard';

/** Takes a deployment back while it waits or its gateway has not switched to it. */
export function Cancelling({ deployment, guard }: { deployment: DeploymentDetail; guard: Guard }): ReactElement | null {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [ask, dialog] = useConfirm();
  const stop = useMutation({
    mutationFn: () => cancel(deployment.id),
    onSettled: () => cache.invalidateQueries({ queryKey: ['deployment', deployment.id] }),
    meta: { errorInPlace: true },
  });
  if (!mayCancel(deployment)) return null;
  const question = {
    title: t('configuration:cancelling.title'),
    text: t(deployment.sent_ms === null ? 'configuration:cancelling.waits' : 'configuration:cancelling.sent'),
    confirm: t('configuration:cancelling.confirm'),
    danger: true,
  };
  return (
    <Stack gap={8}>
      {stop.error === null ? null : (
        <Text size="sm" c="red" role="alert">
          {errorText(stop.error)}
        </Text>
      )}
      <Group justify="flex-end">
        <Button
          {...guard}
          variant="default"
          leftSection={<IconX size={16} />}
          loading={stop.isPending}
          onClick={() => void ask(question).then((yes) => (yes ? stop.mutate() : undefined))}
          data-testid="cancel-deployment"
        >
          {t('configuration:cancelling.confirm')}
        </Button>
      </Group>
      {dialog}
    </Stack>
  );
}
