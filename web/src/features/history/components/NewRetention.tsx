import { Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FOR_EVER } from '@/blocks/retention/api';
import { UserPicker } from '@/blocks/access/UserPicker';
import type { Choice } from '@/components/AsyncPicker';
import type { Setting } from './RetentionForm';

interface Props {
  /** Users who have their own already. */
  taken: readonly number[];
  onChosen: (setting: Setting) => void;
  onClose: () => void;
}

/** Whose gateways get days of their own. */
export default function NewRetention({ taken, onChosen, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const [user, setUser] = useState<Choice | null>(null);
  const isTaken = user !== null && taken.includes(Number(user.value));
  return (
    <Drawer opened onClose={onClose} title={t('history:retention.add')} size={460}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t('history:retention.addText')}
        </Text>
        <UserPicker
          value={user}
          onChange={setUser}
          error={isTaken ? t('history:retention.taken') : undefined}
          required
          testId="retention-for"
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('base:action.cancel')}
          </Button>
          <Button
            disabled={user === null || isTaken}
            onClick={() =>
              user !== null && onChosen({ user: Number(user.value), name: user.label, kept: FOR_EVER, isSet: false })
            }
            data-testid="retention-next"
          >
            {t('history:retention.next')}
          </Button>
        </Group>
      </Stack>
    </Drawer>
  );
}
