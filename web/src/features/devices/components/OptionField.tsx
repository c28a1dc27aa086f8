import { Select, Switch, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { FormField, ProtocolForm } from '@/api/generated/types.gen';
import type { ApiForm } from '@/components/form/useApiForm';
import { NumberField } from '@/components/form/NumberField';
import classes from '../devices.module.css';
import type { WizardDraft } from '../wizard';
import { withOption } from '../wizardSlaves';
import type { WizardSlave } from '../wizardSlaves';

interface Props {
  form: ApiForm<WizardDraft>;
  at: number;
  slave: WizardSlave;
  own: ProtocolForm | undefined;
  field: FormField;
  onChange: (slave: WizardSlave) => void;
}

/** An option of the protocol, as the gateway describes it. Empty: its default. */
export function OptionField({ form, at, slave, own, field, onChange }: Props): ReactElement {
  const { i18n } = useTranslation();
  const { name, kind, required, default: preset } = field;
  const value = slave.options[name];
  const put = (next: string | boolean): void => {
    if (own !== undefined) onChange(withOption(slave, own, name, next));
  };
  const shared = {
    label: i18n.language.startsWith('zh') ? field.zh : field.en,
    error: form.fields.errors[`slaves.${at}.options.${name}`],
    'data-testid': `wizard-option-${name}`,
  };
  const placeholder = field.secret === true || preset === null || preset === undefined ? undefined : String(preset);
  const text = value === undefined ? '' : String(value);
  if (kind === 'choice') {
    const data = field.choices ?? [];
    return (
      <Select
        {...shared}
        data={[...data]}
        value={text === '' ? null : text}
        placeholder={placeholder}
        withAsterisk={required}
        clearable={!required}
        allowDeselect={!required}
        onChange={(next) => put(next ?? '')}
      />
    );
  }
  if (kind === 'switch')
    return (
      <Switch
        className={classes.toggle}
        {...shared}
        checked={value === undefined ? preset === true : value === true}
        onChange={(event) => put(event.currentTarget.checked)}
      />
    );
  if (kind === 'integer') {
    const limits = { min: field.min ?? undefined, max: field.max ?? undefined };
    return (
      <NumberField
        {...shared}
        {...limits}
        value={text}
        placeholder={placeholder}
        allowDecimal={false}
        hideControls
        onChange={(next) => put(String(next))}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      value={text}
      placeholder={placeholder}
      withAsterisk={required}
      autoComplete="off"
      type={field.secret === true ? 'password' : 'text'}
      onChange={(event) => put(event.currentTarget.value)}
    />
  );
}
