import {
  Autocomplete,
  MultiSelect,
  PasswordInput,
  Select,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { NumberField } from '@/components/form/NumberField';
import { ruleText } from '@/components/ruleText';
import type { Field } from '../model/schema';
import { useWords } from '../useWords';

interface Props {
  group: string;
  field: Field;
  value: unknown;
  /** Place in its form; names the input. */
  path: string;
  error?: ReactNode;
  /** The rule by which the field has no use now; it is off then, and not saved. */
  unused?: string | undefined;
  disabled: boolean;
  onChange: (value: unknown) => void;
  /** Values that a text field proposes. */
  proposals?: readonly string[];
}

/** The input for a field, by the kind of its values. Entries of lists have a sheet of their own. */
export function FieldInput(props: Props): ReactElement {
  const { group, field, value, path, error, unused, disabled, onChange, proposals } = props;
  const words = useWords();
  const isText = typeof field.default === 'string' && field.default !== '' && field.kind !== 'choice';
  const usual = typeof field.default === 'number' || isText ? String(field.default) : undefined;
  const shared = {
    label: words.label(field.label),
    description: unused === undefined ? words.hint(field) || undefined : ruleText(unused),
    error,
    disabled: disabled || unused !== undefined,
    'data-path': path,
    'data-testid': `field-${path}`,
  };
  const marked = { ...shared, withAsterisk: field.isRequired };
  const choices = field.choices.map((each) => ({ value: String(each), label: words.choice(group, field, each) }));
  const texts = Array.isArray(value) ? value.map(String) : [];
  switch (field.kind) {
    case 'switch':
      return (
        <Switch {...shared} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
      );
    case 'integer':
    case 'number':
      return (
        <NumberField
          {...marked}
          value={value as number | string}
          onChange={onChange}
          min={field.shape.minimum}
          max={field.shape.maximum}
          allowDecimal={field.kind === 'number'}
          placeholder={usual}
        />
      );
    case 'choice':
      return (
        <Select
          {...marked}
          data={choices}
          value={value === '' ? null : String(value)}
          onChange={(text) => onChange(text ?? '')}
          clearable={field.isOptional}
          allowDeselect={false}
        />
      );
    case 'choices':
      return <MultiSelect {...marked} data={choices} value={texts} onChange={onChange} hidePickedOptions />;
    case 'texts':
      return <TagsInput {...marked} value={texts} onChange={onChange} acceptValueOnBlur />;
    case 'pairs':
      return (
        <Textarea
          {...marked}
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
  const text = { ...marked, value: String(value), placeholder: usual, autoComplete: 'off' };
  if (field.isSecret) return <PasswordInput {...text} onChange={(event) => onChange(event.currentTarget.value)} />;
  if (proposals !== undefined && proposals.length > 0)
    return <Autocomplete {...text} data={[...proposals]} limit={50} onChange={onChange} />;
  return <TextInput {...text} onChange={(event) => onChange(event.currentTarget.value)} />;
}
