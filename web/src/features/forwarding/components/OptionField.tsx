import { MultiSelect, PasswordInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '@/components/form/NumberField';
import type { Code, FormField } from '../model/form';
import type { PointChoice } from '../model/suggest';
import { MASK } from '../model/values';
import { useWords } from '../useWords';
import { CodeInput } from './CodeInput';

export interface Props {
  field: FormField;
  value: unknown;
  error: ReactNode;
  onChange: (value: unknown) => void;
  points: readonly PointChoice[];
  codes: readonly Code[];
  /** Of the field in the form. */
  path: string;
  /** By which the form finds the input of a path. */
  dataPathOf: (path: string) => string;
  /** Does the drawer open here? */
  isFirst?: boolean;
}

/** Choices that a list shows at once. */
const SHOWN = 50;

export const pointOptions = (points: readonly PointChoice[]): { value: string; label: string }[] =>
  points.map(({ name, title }) => ({ value: name, label: title === '' ? name : `${title} (${name})` }));

/** The input for a field, by the kind of its values. */
export function OptionField({
  field,
  value,
  error,
  onChange,
  points,
  codes,
  path,
  dataPathOf,
  isFirst = false,
}: Props): ReactElement {
  const { t } = useTranslation();
  const words = useWords();
  const shared = {
    label: words(field),
    description: field.hint === undefined ? undefined : words(field.hint),
    withAsterisk: field.required,
    error,
    'data-path': dataPathOf(path),
    'data-autofocus': isFirst || undefined,
    'data-testid': `field-${path}`,
  };
  const choices = (field.choices ?? []).map((each) => ({ value: String(each.value), label: words(each) }));
  const chosen = (text: string): unknown => field.choices?.find((each) => String(each.value) === text)?.value ?? text;
  const texts = Array.isArray(value) ? value : [];
  switch (field.kind) {
    case 'switch':
      return (
        <Switch {...shared} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
      );
    case 'integer':
    case 'number':
      return (
        <NumberField
          {...shared}
          value={value as number | string}
          onChange={onChange}
          min={field.min}
          max={field.max}
          allowDecimal={field.kind === 'number'}
        />
      );
    case 'choice':
      return (
        <Select
          {...shared}
          data={choices}
          value={value === '' ? null : String(value)}
          onChange={(text) => onChange(text === null ? '' : chosen(text))}
          clearable={field.optional}
          allowDeselect={false}
        />
      );
    case 'choices':
      return (
        <MultiSelect
          {...shared}
          data={choices}
          value={texts.map(String)}
          onChange={(some) => onChange(some.map(chosen))}
        />
      );
    case 'texts':
      return field.picker === 'point' ? (
        <MultiSelect
          {...shared}
          data={pointOptions(points)}
          value={texts as string[]}
          onChange={onChange}
          searchable
          limit={SHOWN}
          hidePickedOptions
        />
      ) : (
        <TagsInput {...shared} value={texts as string[]} onChange={onChange} />
      );
    case 'pairs':
      return (
        <Textarea
          {...shared}
          value={String(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
          autosize
          minRows={2}
          placeholder="1 = M"
        />
      );
    default:
      break;
  }
  if (field.picker === 'point')
    return (
      <Select
        {...shared}
        data={withValue(pointOptions(points), String(value))}
        value={value === '' ? null : String(value)}
        onChange={(name) => onChange(name ?? '')}
        searchable
        limit={SHOWN}
        clearable={field.optional}
        nothingFoundMessage={t('base:table.noMatch')}
      />
    );
  if (field.picker === 'code') return <CodeInput {...shared} value={String(value)} onChange={onChange} codes={codes} />;
  if (field.secret === true) return <SecretInput {...shared} value={String(value)} onChange={onChange} />;
  return (
    <TextInput
      {...shared}
      value={String(value)}
      maxLength={field.max_length}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
    />
  );
}

interface SecretProps {
  label: string;
  description: string | undefined;
  value: string;
  onChange: (value: string) => void;
}

/** A secret. One that is set is a mask, which stays it or is replaced as a whole. */
function SecretInput({ value, onChange, description, ...rest }: SecretProps): ReactElement {
  const { t } = useTranslation();
  const isMasked = value === MASK;
  return (
    <PasswordInput
      {...rest}
      description={isMasked ? t('forwarding:target.secretKept') : description}
      value={value}
      onFocus={(event) => isMasked && event.currentTarget.select()}
      onChange={({ currentTarget: { value: text } }) =>
        onChange(isMasked && text.length > MASK.length ? text.replace(MASK, '') : text)
      }
      visibilityToggleButtonProps={isMasked ? { style: { display: 'none' } } : undefined}
      autoComplete="off"
    />
  );
}

/** A value that is no choice any more is still named. */
function withValue(options: { value: string; label: string }[], value: string): { value: string; label: string }[] {
  return value === '' || options.some((one) => one.value === value) ? options : [{ value, label: value }, ...options];
}
