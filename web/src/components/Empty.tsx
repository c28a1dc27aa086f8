import { Text } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import classes from './states.module.css';

interface Props {
  title: string;
  text?: string;
  action?: ReactNode;
}

export function Empty({ title, text, action }: Props): ReactElement {
  return (
    <div className={classes.state} data-testid="empty-state">
      <IconInbox size={32} stroke={1.4} aria-hidden />
      <Text fw={600}>{title}</Text>
      {text === undefined ? null : (
        <Text size="sm" c="dimmed" maw={420}>
          {text}
        </Text>
      )}
      {action}
    </div>
  );
}
