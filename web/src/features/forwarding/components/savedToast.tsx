import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import { UNDO_MS } from '@/components/undo';

const ID = 'target-saved';

/** Tell that a target was saved in the draft and what deploying costs, with the way there. */
export function showSaved(message: string, onDeploy: () => void): void {
  const follow = (): void => {
    notifications.hide(ID);
    onDeploy();
  };
  notifications.show({
    id: ID,
    color: 'steel',
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm">
          {message} {i18next.t('base:draftNotice.cost')}
        </Text>
        <Button variant="light" size="compact-sm" onClick={follow} data-testid="saved-deploy">
          {i18next.t('base:draftNotice.deploy')}
        </Button>
      </Group>
    ),
    autoClose: UNDO_MS,
    withBorder: true,
  });
}
