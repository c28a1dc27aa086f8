import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import type { ReactElement } from 'react';
import { showError, showSuccess } from './notices';

/** How long what was done can be taken back from its toast. */
export const UNDO_MS = 10_000;

let nextId = 1;

/** Tell that something was done, with a button that takes it back. done: words once it is taken back. */
export function showUndo(message: string, undo: () => Promise<unknown>, done: string): void {
  const id = `undo:${nextId++}`;
  const takeBack = async (): Promise<void> => {
    notifications.hide(id);
    try {
      await undo();
      showSuccess(done);
    } catch (error) {
      showError(error);
    }
  };
  notifications.show({
    id,
    color: 'steel',
    message: <UndoToast message={message} onUndo={() => void takeBack()} />,
    autoClose: UNDO_MS,
    withBorder: true,
  });
}

function UndoToast({ message, onUndo }: { message: string; onUndo: () => void }): ReactElement {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm">{message}</Text>
      <Button variant="light" size="compact-sm" onClick={onUndo} data-testid="undo">
        {i18next.t('base:undo.action')}
      </Button>
    </Group>
  );
}
