import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import type { ReactElement } from 'react';
import { showError, showSuccess } from './notices';

/** How long a toast with a button stays. */
export const UNDO_MS = 10_000;

let nextId = 1;

/** Tell that something was done, with a button for what comes next. */
export function showOffer(message: string, action: string, act: () => void, testId: string): void {
  const id = `offer:${nextId++}`;
  const onClick = (): void => {
    notifications.hide(id);
    act();
  };
  notifications.show({
    id,
    color: 'steel',
    message: <OfferToast message={message} action={action} onClick={onClick} testId={testId} />,
    autoClose: UNDO_MS,
    withBorder: true,
  });
}

/** Tell that something was done, with a button that takes it back. done: words once it is taken back. */
export function showUndo(message: string, undo: () => Promise<unknown>, done: string): void {
  const takeBack = async (): Promise<void> => {
    try {
      await undo();
      showSuccess(done);
    } catch (error) {
      showError(error);
    }
  };
  showOffer(message, i18next.t('base:undo.action'), () => void takeBack(), 'undo');
}

interface ToastProps {
  message: string;
  action: string;
  onClick: () => void;
  testId: string;
}

function OfferToast({ message, action, onClick, testId }: ToastProps): ReactElement {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm">{message}</Text>
      <Button variant="light" size="compact-sm" onClick={onClick} data-testid={testId}>
        {action}
      </Button>
    </Group>
  );
}
