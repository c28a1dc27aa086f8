import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCopy, IconPencil, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './resource.module.css';

interface ButtonProps {
  kind: 'edit' | 'copy' | 'remove';
  /** Why it is off; '' when it is not. */
  why: string;
  onClick: () => void;
}

const ICONS = { edit: IconPencil, copy: IconCopy, remove: IconTrash };

/** Edit, copy or delete of a row. Off, it still takes the focus and says why. */
export function RowButton({ kind, why, onClick }: ButtonProps): ReactElement {
  const { t } = useTranslation();
  const Icon = ICONS[kind];
  const label = t(`base:row.${kind}`);
  const isOff = why !== '';
  return (
    <Tooltip label={isOff ? why : label} events={{ hover: true, focus: true, touch: true }}>
      <ActionIcon
        variant="subtle"
        color={kind === 'remove' ? 'red' : 'gray'}
        className={classes.rowButton}
        onClick={isOff ? undefined : onClick}
        data-disabled={isOff || undefined}
        aria-disabled={isOff || undefined}
        aria-label={isOff ? `${label}: ${why}` : label}
        data-testid={`row-${kind}`}
      >
        <Icon size={16} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
