import { ActionIcon, Button } from '@mantine/core';
import { IconChevronDown, IconX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { showSuccess } from '../notices';
import { PermButton } from '../permission';
import { usePhone } from '../table/usePhone';
import type { Selection } from '../table/useSelection';
import { useConfirm } from '../useConfirm';
import type { BulkAction } from './resource';
import classes from './resource.module.css';

interface Props<Row> {
  selection: Selection;
  rows: readonly Row[];
  actions: readonly BulkAction<Row>[];
  queryKey: readonly unknown[];
  onCopy: () => void;
}

/** What can be done with the selected rows; on a phone behind a button. */
export function SelectionBar<Row>({ selection, rows, actions, queryKey, onCopy }: Props<Row>): ReactElement | null {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [ask, dialog] = useConfirm();
  const phone = usePhone();
  const [open, setOpen] = useState(false);
  const count = selection.ids.size;
  const run = useMutation({
    mutationFn: (action: BulkAction<Row>) => action.run([...selection.ids], rows),
    onSuccess: (_, { opens = false, tells = false }) => {
      if (opens) return;
      if (!tells) showSuccess(t('base:row.done'));
      selection.clear();
    },
    onSettled: () => void cache.invalidateQueries({ queryKey }),
  });
  const start = async (action: BulkAction<Row>): Promise<void> => {
    const { question, label, danger = false } = action;
    if (question !== undefined && !(await ask({ title: label, text: question(count), confirm: label, danger }))) return;
    run.mutate(action);
  };
  if (count === 0) return dialog;
  const size = phone ? 'sm' : 'compact-sm';
  const buttons = (
    <>
      {actions.map((action) => (
        <PermButton
          key={action.id}
          asks={action.may}
          variant={action.danger === true ? 'outline' : 'default'}
          color={action.danger === true ? 'red' : undefined}
          size={size}
          loading={run.isPending && run.variables?.id === action.id}
          onClick={() => void start(action)}
          data-testid={`bulk-${action.id}`}
        >
          {action.label}
        </PermButton>
      ))}
      <Button variant="default" size={size} onClick={onCopy} data-testid="bulk-copy">
        {t('base:table.copy')}
      </Button>
    </>
  );
  return (
    <>
      <div
        className={classes.selected}
        role="group"
        aria-label={t('base:table.selected', { count })}
        data-testid="selection-bar"
      >
        <span aria-live="polite">{t('base:table.selected', { count })}</span>
        {phone ? (
          <Button
            variant="default"
            rightSection={<IconChevronDown size={16} />}
            onClick={() => setOpen(!open)}
            aria-expanded={open}
            data-testid="bulk-open"
          >
            {t('base:table.actions')}
          </Button>
        ) : (
          buttons
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          size={phone ? 44 : 26}
          onClick={selection.clear}
          aria-label={t('base:table.deselect')}
        >
          <IconX size={16} />
        </ActionIcon>
        {phone && open ? <div className={classes.selectedActions}>{buttons}</div> : null}
      </div>
      {dialog}
    </>
  );
}
