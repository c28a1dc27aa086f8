import { ActionIcon } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconCopyPlus,
  IconRowInsertBottom,
  IconSortAscendingNumbers,
  IconArrowBarDown,
  IconTrash,
  IconAlertTriangle,
} from '@tabler/icons-react';
import { memo } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './sheet.module.css';
import type { SheetActions } from './useSheet';

interface Props {
  actions: SheetActions;
  /** After each: the keyboard goes back to the cells. */
  onDone: () => void;
  mayEdit: boolean;
  mayAdd: boolean;
  mayDelete: boolean;
  canUndo: boolean;
  canRedo: boolean;
  errors: number;
  warnings: number;
  tools: ReactNode;
}

function Bar({
  actions,
  onDone,
  mayEdit,
  mayAdd,
  mayDelete,
  canUndo,
  canRedo,
  errors,
  warnings,
  tools,
}: Props): ReactElement {
  const { t } = useTranslation();
  const then = (work: () => void) => () => {
    work();
    onDone();
  };
  return (
    <div className={classes.bar}>
      {mayEdit ? (
        <>
          <Tool
            words={t('base:sheet.undo')}
            icon={IconArrowBackUp}
            off={!canUndo}
            onClick={then(actions.undo)}
            id="undo"
          />
          <Tool
            words={t('base:sheet.redo')}
            icon={IconArrowForwardUp}
            off={!canRedo}
            onClick={then(actions.redo)}
            id="redo"
          />
          {mayAdd ? (
            <Tool
              words={t('base:sheet.insert')}
              icon={IconRowInsertBottom}
              onClick={then(() => actions.insert(false))}
              id="insert"
            />
          ) : null}
          {mayAdd ? (
            <Tool
              words={t('base:sheet.duplicate')}
              icon={IconCopyPlus}
              onClick={then(() => actions.insert(true))}
              id="duplicate"
            />
          ) : null}
          {mayDelete ? (
            <Tool words={t('base:sheet.remove')} icon={IconTrash} onClick={then(actions.remove)} id="remove" />
          ) : null}
          <Tool words={t('base:sheet.fillDown')} icon={IconArrowBarDown} onClick={then(actions.fillDown)} id="fill" />
          <Tool
            words={t('base:sheet.countDown')}
            icon={IconSortAscendingNumbers}
            onClick={then(actions.countDown)}
            id="count"
          />
        </>
      ) : null}
      {errors + warnings === 0 ? null : (
        <button
          type="button"
          className={classes.faults}
          data-level={errors > 0 ? 'error' : 'warning'}
          onClick={then(actions.toFault)}
          data-testid="sheet-faults"
        >
          <IconAlertTriangle size={15} stroke={1.8} aria-hidden />
          {t('base:sheet.faults', { errors, warnings })}
        </button>
      )}
      {tools}
    </div>
  );
}

export const SheetBar = memo(Bar);

interface ToolProps {
  id: string;
  words: string;
  icon: typeof IconTrash;
  off?: boolean;
  onClick: () => void;
}

function Tool({ id, words, icon: Icon, off = false, onClick }: ToolProps): ReactElement {
  return (
    <ActionIcon
      variant="default"
      size={32}
      aria-label={words}
      title={words}
      disabled={off}
      onClick={onClick}
      data-testid={`sheet-${id}`}
    >
      <Icon size={17} stroke={1.6} />
    </ActionIcon>
  );
}
