import { useForm } from '@mantine/form';
import type { FormValidateInput, UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { SubmitEvent } from 'react';
import { ApiError } from '@/api/errors';
import { errorText } from '../notices';
import { refusalText } from '../refusal';
import { ruleText } from '../ruleText';
import { fieldOf } from './fieldErrors';
import type { FieldNames } from './fieldErrors';
import { useUnsavedChanges } from './useUnsavedChanges';

export interface ApiForm<Values> {
  /** Of @mantine/form: getInputProps('name') and the like. */
  fields: UseFormReturnType<Values>;
  submit: (event?: SubmitEvent<HTMLFormElement>) => void;
  isSaving: boolean;
  /** What the cloud said and no field can show; '' for nothing. */
  failure: string;
  /** What was entered is given up: nothing asks for it any more. */
  release: () => void;
}

interface Input<Values, Saved> {
  values: Values;
  /** Words for what is wrong, in the user's language; null for nothing. */
  validate?: FormValidateInput<Values>;
  save: (values: Values) => Promise<Saved>;
  onSaved: (saved: Saved, values: Values) => void;
  /** Fields of the API that have another name in the form; a function says of each path where it stands, null: nowhere. */
  names?: Readonly<Record<string, string>> | ((path: string, values: Values) => string | null);
  /** The draft is written to the browser's storage with every step: nothing is lost. */
  stored?: boolean;
}

/** A form that is saved by one call: a refusal stands at the field that it names, else above the buttons. */
export function useApiForm<Values extends Record<string, unknown>, Saved = unknown>(
  input: Input<Values, Saved>,
): ApiForm<Values> {
  const { values, validate, save, onSaved, names, stored = false } = input;
  const fields = useForm<Values>({ initialValues: values, validate, mode: 'controlled' });
  const namesNow: FieldNames | undefined =
    typeof names === 'function' ? (path) => names(path, fields.getValues()) : names;
  const release = useUnsavedChanges(!stored && fields.isDirty());
  const saving = useMutation({
    mutationFn: save,
    meta: { errorInPlace: true },
    onSuccess: (saved, given) => {
      release();
      onSaved(saved, given);
    },
    onError: (error) => {
      const field = error instanceof ApiError ? fieldOf(error, Object.keys(fields.getValues()), namesNow) : null;
      if (field === null) return;
      fields.setFieldError(
        field as never,
        refusalText(error) ?? (ruleText((error as ApiError).facts.rule) || errorText(error)),
      );
      focus(fields, field);
    },
  });
  const isAtField = saving.error instanceof ApiError && fieldOf(saving.error, Object.keys(values), namesNow) !== null;
  const { isPending, mutate } = saving;
  const submit = useCallback(
    (event?: SubmitEvent<HTMLFormElement>) => {
      event?.stopPropagation(); // a drawer that a form opens lies within it for React: not both are meant
      if (isPending) return event?.preventDefault();
      fields.onSubmit(
        (checked) => mutate(checked),
        (errors) => focus(fields, Object.keys(errors)[0]),
      )(event);
    },
    [fields, isPending, mutate],
  );
  return {
    fields,
    submit,
    isSaving: isPending,
    failure: saving.error === null || isAtField ? '' : errorText(saving.error),
    release,
  };
}

function focus<Values>(fields: UseFormReturnType<Values>, field: string | undefined): void {
  if (field !== undefined) fields.getInputNode(field as never)?.focus();
}
