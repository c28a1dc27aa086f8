import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePerm } from '../permission';
import { ACTIONS } from '../table/columns';
import type { Column } from '../table/columns';
import type { Resource } from './resource';
import classes from './resource.module.css';
import type { Editing } from './ResourceForm';
import { RowButton } from './RowButton';

interface MayEdit<Row> {
  isOffered: boolean;
  /** '' when this row may be changed. */
  whyNot: (row: Row) => string;
}

export function useMayEdit<Row, Values extends Record<string, unknown>>(
  form: Resource<Row, Values>['form'],
): MayEdit<Row> {
  const { t } = useTranslation();
  const may = usePerm(form?.mayUpdate);
  return useMemo(
    () => ({
      isOffered: form?.update !== undefined,
      whyNot: (row) => (may ? (form?.whyNotUpdate?.(row) ?? '') : t('base:perm.missing')),
    }),
    [form, may, t],
  );
}

/** The resource's columns, and one with the buttons of a row. */
export function useRowColumns<Row, Values extends Record<string, unknown>>(
  resource: Resource<Row, Values>,
  onEdit: (editing: Editing<Row>) => void,
  onRemove: (row: Row) => Promise<void>,
): readonly Column<Row>[] {
  const { t } = useTranslation();
  const { columns, form, remove, rowActions } = resource;
  const edit = useMayEdit(form);
  const mayCreate = usePerm(form?.mayCreate);
  const mayRemove = usePerm(remove?.may);
  const canCopy = form?.copy !== undefined && form.create !== undefined && mayCreate;
  return useMemo(() => {
    if (!edit.isOffered && !canCopy && remove === undefined && rowActions === undefined) return columns;
    const whyNot = (row: Row): string => (mayRemove ? (remove?.whyNot?.(row) ?? '') : t('base:perm.missing'));
    const cell = (row: Row): ReactElement => (
      <span className={classes.actions}>
        {rowActions?.(row)}
        {edit.isOffered ? (
          <RowButton kind="edit" why={edit.whyNot(row)} onClick={() => onEdit({ mode: 'edit', row })} />
        ) : null}
        {canCopy ? <RowButton kind="copy" why="" onClick={() => onEdit({ mode: 'copy', row })} /> : null}
        {remove === undefined ? null : <RowButton kind="remove" why={whyNot(row)} onClick={() => void onRemove(row)} />}
      </span>
    );
    return [...columns, { id: ACTIONS, title: t('base:table.actions'), cell, align: 'right', width: 130 }];
  }, [columns, edit, canCopy, mayRemove, remove, rowActions, onEdit, onRemove, t]);
}
