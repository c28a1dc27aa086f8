import { ActionIcon, Button, Tooltip } from '@mantine/core';
import type { Icon as IconOf } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { usePhone } from '@/components/table/usePhone';
import classes from '../events.module.css';

interface Props {
  label: string;
  /** On a phone, where the place is narrow; the label without. */
  word?: string;
  icon: IconOf;
  disabled: boolean;
  onClick: () => void;
  testId: string;
}

/** A small button in the row of an event: an icon with a hint, on a phone a word. */
export function QuickButton({ label, word = label, icon: Icon, disabled, onClick, testId }: Props): ReactElement {
  const shared = {
    variant: 'subtle',
    color: 'gray',
    disabled,
    onClick,
    'aria-label': label,
    'data-testid': testId,
  } as const;
  if (usePhone()) {
    return (
      <Button {...shared} className={classes.word}>
        {word}
      </Button>
    );
  }
  return (
    <Tooltip label={label}>
      <ActionIcon {...shared} className={classes.quick}>
        <Icon size={16} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
