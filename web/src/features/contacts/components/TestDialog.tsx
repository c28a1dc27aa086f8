import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/components/notices';
import { channelsQuery, DELIVERIES, deliveryQuery, isOpen } from '../api';
import type { ChannelName, DeliveryRow } from '../api';

interface Props {
  name: string;
  /** Those for which there is an address. */
  channels: readonly ChannelName[];
  send: (channel: ChannelName) => Promise<DeliveryRow>;
  onClose: () => void;
}

/** Queues a test message, and says what came of it once it has an end. */
export function TestDialog({ name, channels, send, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { data: known = [] } = useQuery(channelsQuery);
  const isOff = (channel: ChannelName): boolean => known.some((row) => row.name === channel && !row.configured);
  const [chosen, setChosen] = useState<ChannelName | null>(null);
  const channel = chosen ?? channels.find((each) => !isOff(each)) ?? channels[0] ?? null;
  const test = useMutation({
    mutationFn: send,
    meta: { errorInPlace: true },
  });
  const { data: row = test.data, error } = useQuery({
    ...deliveryQuery(test.data?.id ?? 0),
    enabled: test.data !== undefined,
  });
  const state = row?.state;
  useEffect(() => {
    if (state !== undefined) void cache.invalidateQueries({ queryKey: DELIVERIES, predicate: isList });
  }, [cache, state]);
  return (
    <Modal opened onClose={onClose} title={t('contacts:test.of', { name })} centered>
      <Stack>
        {channel === null ? (
          <Text>{t('contacts:test.nothing')}</Text>
        ) : (
          <Select
            label={t('contacts:field.channel')}
            data={channels.map((value) => ({
              value,
              label: isOff(value)
                ? t('contacts:notSetUp', { channel: t(`base:delivery.channel.${value}`) })
                : t(`base:delivery.channel.${value}`),
            }))}
            value={channel}
            onChange={(value) => {
              setChosen(channels.find((each) => each === value) ?? null);
              test.reset();
            }}
            allowDeselect={false}
            data-testid="test-channel"
          />
        )}
        <Outcome row={row} error={test.error ?? error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('base:action.close')}
          </Button>
          {channel === null ? null : (
            <Button
              loading={test.isPending || (row !== undefined && isOpen(row))}
              onClick={() => test.mutate(channel)}
              data-testid="test-send"
            >
              {t('contacts:test.send')}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

/** Not the query that told it. */
function isList({ queryKey }: { queryKey: readonly unknown[] }): boolean {
  return queryKey[1] !== 'one';
}

function Outcome({ row, error }: { row: DeliveryRow | undefined; error: Error | null }): ReactElement | null {
  const { t } = useTranslation();
  if (error !== null)
    return (
      <Alert color="red" data-testid="test-outcome">
        {errorText(error) || t('base:error.failed')}
      </Alert>
    );
  if (row === undefined) return null;
  if (isOpen(row))
    return (
      <Alert color="blue" data-testid="test-outcome" data-state={row.state}>
        {t('contacts:test.waiting')}
      </Alert>
    );
  const isSent = row.state === 'sent';
  return (
    <Alert color={isSent ? 'green' : 'red'} data-testid="test-outcome" data-state={row.state}>
      <Text size="sm">
        {isSent ? t('contacts:test.sent', { address: row.address }) : t(`base:delivery.reason.${row.reason}`)}
      </Text>
      {row.detail === '' ? null : (
        <Text size="xs" c="dimmed">
          {row.detail}
        </Text>
      )}
    </Alert>
  );
}
