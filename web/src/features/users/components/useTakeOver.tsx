import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '@/api/errors';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { Choice } from '@/components/AsyncPicker';
import { deleteUser, findUsers } from '../api';
import type { UserRow } from '../api';

interface Pending {
  row: UserRow;
  counts: Record<string, string | number>;
  answer: (to: number | null) => void;
}

/** Delete a user: when users or devices are below him, ask who takes them over. [remove, dialog] */
export function useTakeOver(): [(row: UserRow) => Promise<void>, ReactElement | null] {
  const [pending, setPending] = useState<Pending | null>(null);
  const remove = useCallback(async (row: UserRow): Promise<void> => {
    try {
      await deleteUser(row.user_id);
    } catch (error) {
      if (!(error instanceof ApiError) || error.facts.reason !== 'user.has_below') throw error;
      const { args } = error.facts;
      const to = await new Promise<number | null>((resolve) => {
        setPending({ row, counts: args, answer: resolve });
      }).finally(() => setPending(null));
      if (to === null) throw error;
      await deleteUser(row.user_id, to);
    }
  }, []);
  const dialog = pending === null ? null : <TakeOverDialog {...pending} />;
  return [remove, dialog];
}

function TakeOverDialog({ row, counts, answer }: Pending): ReactElement {
  const { t } = useTranslation();
  const [to, setTo] = useState<Choice | null>(null);
  const load = async (search: string, signal: AbortSignal): Promise<readonly Choice[]> => {
    const users = await findUsers(search, signal);
    return users
      .filter(({ user_id }) => user_id !== row.user_id)
      .map(({ user_id, user_name, user_type }) => ({
        value: String(user_id),
        label: user_name,
        note: t(`base:userType.${user_type}`),
      }));
  };
  return (
    <Modal
      opened
      onClose={() => answer(null)}
      title={t('users:takeOver.title', { name: row.user_name })}
      data-testid="take-over"
    >
      <Stack gap="md">
        <Text size="sm">{t('users:takeOver.text', { users: counts.users ?? 0, devices: counts.devices ?? 0 })}</Text>
        <AsyncPicker
          label={t('users:takeOver.to')}
          value={to}
          onChange={setTo}
          load={load}
          queryKey={['user', 'take', row.user_id]}
          required
          testId="take-over-to"
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => answer(null)}>
            {t('base:action.cancel')}
          </Button>
          <Button
            color="red"
            disabled={to === null}
            onClick={() => answer(Number(to?.value))}
            data-testid="take-over-confirm"
          >
            {t('users:takeOver.confirm')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
