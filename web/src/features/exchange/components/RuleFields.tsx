import { Group, Switch, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '@/components/form/NumberField';
import type { ApiForm } from '@/components/form/useApiForm';
import type { Draft } from '../draft';
import { EndFields } from './EndFields';

const LONGEST_S = 86_400;

/** The inputs of a rule: from where, to where, how converted, how often. */
export default function RuleFields({ form }: { form: ApiForm<Draft> }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  return (
    <>
      <TextInput
        label={t('exchange:field.title')}
        required
        maxLength={100}
        data-autofocus
        data-testid="rule-title"
        {...fields.getInputProps('title')}
      />
      <EndFields form={form} end="source" />
      <EndFields form={form} end="target" />
      <Group grow align="flex-start">
        <NumberField label={t('exchange:field.ratio')} decimalScale={9} {...fields.getInputProps('ratio')} />
        <NumberField label={t('exchange:field.bias')} decimalScale={9} {...fields.getInputProps('bias')} />
      </Group>
      <NumberField
        label={t('exchange:field.every')}
        description={t('exchange:field.everyText')}
        min={0}
        max={LONGEST_S}
        allowDecimal={false}
        suffix=" s"
        {...fields.getInputProps('every_s')}
      />
      <Switch label={t('exchange:field.enabled')} {...fields.getInputProps('enabled', { type: 'checkbox' })} />
    </>
  );
}
