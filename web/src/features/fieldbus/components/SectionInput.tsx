import { Select, Switch, TagsInput, TextInput } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { NumberField } from '@/components/form/NumberField';
import type { SectionField } from '../model/sections';
import { useWords } from '../useWords';

interface Props {
  field: SectionField;
  value: unknown;
  error: ReactNode;
  /** By which the form finds the input. */
  dataPath: string;
  onChange: (value: unknown) => void;
  /** Does the drawer open here? */
  isFirst?: boolean;
  /** In place of the field's own words. */
  description?: ReactNode;
  /** A choice may be none: what is shown then. */
  none?: string;
}

/** The input for a field of a section, by the kind of its values. */
export function SectionInput({
  field,
  value,
  error,
  dataPath,
  onChange,
  isFirst = false,
  description,
  none,
}: Props): ReactElement {
  const words = useWords();
  const shared = {
    label: words.label(field),
    description: description ?? words.hint(field),
    error,
    'data-path': dataPath,
    'data-autofocus': isFirst || undefined,
    'data-testid': `field-${field.name}`,
  };
  const needed = { ...shared, withAsterisk: field.required };
  switch (field.kind) {
    case 'switch':
      return (
        <Switch {...shared} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
      );
    case 'integer':
    case 'number':
      return (
        <NumberField
          {...needed}
          value={value as number | string}
          onChange={onChange}
          min={field.min}
          max={field.max}
          allowDecimal={field.kind === 'number'}
        />
      );
    case 'choice': {
      const choices = (field.choices ?? []).map((each) => ({ value: String(each), label: words.choice(field, each) }));
      const chosen = (text: string | null): unknown => field.choices?.find((each) => String(each) === text) ?? '';
      return (
        <Select
          {...needed}
          data={choices}
          value={value === '' ? null : String(value)}
          onChange={(text) => onChange(chosen(text))}
          placeholder={none}
          clearable={none !== undefined}
          allowDeselect={false}
        />
      );
    }
    case 'list':
      return <TagsInput {...needed} value={value as string[]} onChange={onChange} />;
    default:
      return (
        <TextInput
          {...needed}
          value={String(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
          autoComplete="off"
        />
      );
  }
}
