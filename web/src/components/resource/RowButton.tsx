import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconCopy, IconPencil, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePhone } from '../table/usePhone';
import classes from './resource.module.css';

interface ButtonProps {
  kind: 'edit' | 'copy' | 'remove';
  /** Why it is off; '' when it is not. */
  why: string;
  onClick: () => void;
}

const ICONS = { edit: IconPencil, copy: IconCopy, remove: IconTrash };

/** Edit, copy or delete of a row; in words on a phone, which has no hints. Off, it still takes the focus and says why. */
export function RowButton({ kind, why, onClick }: ButtonProps): ReactElement {
  const { t } = useTranslation();
  const Icon = ICONS[kind];
  const label = t(`base:row.${kind}`);
  const phone = usePhone();
  const isOff = why !== '';
  const shared = {
    variant: 'subtle',
    color: kind === 'remove' ? 'red' : 'gray',
    onClick: isOff ? undefined : onClick,
    'data-kind': kind,
    'data-disabled': isOff || undefined,
    'aria-disabled': isOff || undefined,
    'aria-label': isOff ? `${label}: ${why}` : label,
    'data-testid': `row-${kind}`,
  } as const;
  return (
    <Tooltip label={isOff ? why : label} disabled={phone && !isOff} events={{ hover: true, focus: true, touch: true }}>
      {phone ? (
        <Button {...shared} className={classes.rowWord}>
          {label}
        </Button>
      ) : (
        <ActionIcon {...shared} className={classes.rowButton}>
          <Icon size={16} stroke={1.6} />
        </ActionIcon>
      )}
    </Tooltip>
  );
}
