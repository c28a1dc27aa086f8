import { ActionIcon, Tooltip } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconExternalLink,
  IconGripVertical,
  IconLink,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react';
import type { DragEvent, KeyboardEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { QUICK_ICONS } from '@/components/quickIcons';
import { isOwnPicture } from '@/lib/brand';
import type { QuickEntry } from '@/lib/quickEntries';
import classes from '../platform.module.css';

interface Props {
  entry: QuickEntry;
  at: number;
  count: number;
  isOver: boolean;
  onMove: (from: number, to: number) => void;
  /** Dragged to the place of this row; null when the drag ends. */
  onDrag: (at: number | null) => void;
  onOver: (at: number) => void;
  onDrop: () => void;
  onEdit: () => void;
  onRemove: () => void;
}

/** A quick entry: moved by its handle with the pointer, by the arrow keys on the handle, or by the buttons. */
export function EntryRow(props: Props): ReactElement {
  const { entry, at, count, isOver, onMove, onDrag, onOver, onDrop, onEdit, onRemove } = props;
  const { t } = useTranslation();
  const Icon = QUICK_ICONS[entry.icon] ?? IconLink;
  const name = entry.text;
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (step === 0) return;
    event.preventDefault();
    onMove(at, at + step);
  };
  const onDragStart = (event: DragEvent): void => {
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', entry.text);
    onDrag(at);
  };
  return (
    // Dragging is for the pointer; the handle and the buttons do the same by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <li
      className={classes.entry}
      data-over={isOver || undefined}
      draggable
      onDragStart={onDragStart}
      onDragOver={(event) => {
        event.preventDefault();
        onOver(at);
      }}
      onDrop={(event) => {
        event.preventDefault();
        onDrop();
      }}
      onDragEnd={() => onDrag(null)}
      data-testid="entry-row"
    >
      <button
        type="button"
        className={classes.handle}
        aria-label={t('platform:quick.handle', { name, at: at + 1, count })}
        onKeyDown={onKeyDown}
        data-testid="entry-handle"
      >
        <IconGripVertical size={16} aria-hidden />
      </button>
      {isOwnPicture(entry.icon) ? (
        <img src={entry.icon} alt="" width={18} height={18} />
      ) : (
        <Icon size={18} stroke={1.6} />
      )}
      <span className={classes.entryText}>
        <b>{name}</b>
        <span>
          {entry.url}{' '}
          {entry.newWindow ? <IconExternalLink size={12} aria-label={t('platform:quick.newWindow')} /> : null}
        </span>
      </span>
      <span className={classes.entryTools}>
        <RowTool
          label={t('platform:quick.up', { name })}
          icon={IconArrowUp}
          disabled={at === 0}
          onClick={() => onMove(at, at - 1)}
          testId="entry-up"
        />
        <RowTool
          label={t('platform:quick.down', { name })}
          icon={IconArrowDown}
          disabled={at === count - 1}
          onClick={() => onMove(at, at + 1)}
          testId="entry-down"
        />
        <RowTool label={`${t('base:row.edit')}: ${name}`} icon={IconPencil} onClick={onEdit} testId="entry-edit" />
        <RowTool
          label={`${t('base:row.remove')}: ${name}`}
          icon={IconTrash}
          color="red"
          onClick={onRemove}
          testId="entry-remove"
        />
      </span>
    </li>
  );
}

/** Off, it keeps the focus: moving to the end by key must not lose the place. */
interface ToolProps {
  label: string;
  icon: typeof IconPencil;
  color?: string;
  disabled?: boolean;
  onClick: () => void;
  testId: string;
}

function RowTool({ label, icon: Icon, color = 'gray', disabled = false, onClick, testId }: ToolProps): ReactElement {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color={color}
        onClick={disabled ? undefined : onClick}
        data-disabled={disabled || undefined}
        aria-disabled={disabled || undefined}
        aria-label={label}
        data-testid={testId}
      >
        <Icon size={16} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
