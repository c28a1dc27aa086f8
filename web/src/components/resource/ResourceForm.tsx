import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '../form/FormDrawer';
import { useApiForm } from '../form/useApiForm';
import { showSuccess } from '../notices';
import type { FormMode, ResourceForm as Shape } from './resource';

export interface Editing<Row> {
  mode: FormMode;
  row: Row | null;
}

interface Props<Row, Values extends Record<string, unknown>> {
  shape: Shape<Row, Values>;
  editing: Editing<Row>;
  queryKey: readonly unknown[];
  onClose: () => void;
}

export default function ResourceForm<Row, Values extends Record<string, unknown>>({
  shape,
  editing,
  queryKey,
  onClose,
}: Props<Row, Values>): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { mode, row } = editing;
  const form = useApiForm<Values>({
    values: start(shape, editing),
    validate: shape.validate,
    names: shape.names,
    save: (values) => {
      if (mode === 'edit' && row !== null) return shape.update?.(row, values) ?? Promise.resolve();
      return shape.create?.(values) ?? Promise.resolve();
    },
    onSaved: (answer, values) => {
      void cache.invalidateQueries({ queryKey });
      onClose();
      showSuccess(t(`base:form.done.${mode}`));
      shape.onSaved?.(answer, values, mode);
    },
  });
  const title = mode === 'edit' ? shape.words.edit : shape.words.create;
  return (
    <FormDrawer title={title} form={form} onClose={onClose} proposed={mode !== 'edit'}>
      {shape.fields(form, mode, row)}
    </FormDrawer>
  );
}

function start<Row, Values extends Record<string, unknown>>(
  shape: Shape<Row, Values>,
  { mode, row }: Editing<Row>,
): Values {
  if (row === null) return shape.empty;
  return mode === 'copy' && shape.copy !== undefined ? shape.copy(row) : shape.of(row);
}
