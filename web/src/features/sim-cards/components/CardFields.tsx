import '@mantine/dates/styles.css';
import 'dayjs/locale/zh-cn';
import { Alert, Checkbox, Select, SimpleGrid, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { DateInput } from '@mantine/dates';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '@/components/form/NumberField';
import type { ApiForm } from '@/components/form/useApiForm';
import { OPERATORS, STATUSES } from '../api';
import { DAYS, expectedDigit, plainIccid } from '../draft';
import type { CardDraft, FieldsDraft } from '../draft';

const MAX_MB = 2 ** 30;
const MAX_MONEY = 10_000_000_000;

/** The inputs of a card. */
export default function CardFields({ form }: { form: ApiForm<CardDraft> }): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t('sim-cards:field.iccid')}
        description={t('sim-cards:hint.iccid')}
        required
        maxLength={40}
        data-autofocus
        data-testid="sim-iccid"
        {...form.fields.getInputProps('iccid')}
      />
      <CheckDigit form={form} />
      <SharedFields form={form as unknown as ApiForm<FieldsDraft>} />
    </>
  );
}

/** Of a number with another check digit than is usual: carriers print such cards too, and a mistake of typing looks the same. */
function CheckDigit({ form: { fields } }: { form: ApiForm<CardDraft> }): ReactElement | null {
  const { t } = useTranslation();
  const { iccid, checked_iccid } = fields.getValues();
  const digit = expectedDigit(iccid);
  const plain = plainIccid(iccid);
  if (digit === null) return null;
  return (
    <Alert color="yellow" data-testid="sim-check-digit">
      <Text size="sm" mb={6}>
        {t('sim-cards:digit.text', { digit, found: plain.replace(/F+$/, '').slice(-1) })}
      </Text>
      <Checkbox
        label={t('sim-cards:digit.checked')}
        checked={checked_iccid === plain}
        onChange={(event) => fields.setFieldValue('checked_iccid', event.currentTarget.checked ? plain : '')}
        data-testid="sim-digit-checked"
      />
    </Alert>
  );
}

/** What cards of a range have in common. */
export function SharedFields({ form }: { form: ApiForm<FieldsDraft> }): ReactElement {
  const { t, i18n } = useTranslation();
  const { fields } = form;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label={t('sim-cards:field.operator')}
          data={OPERATORS.map((value) => ({ value, label: t(`sim-cards:operator.${value}`) }))}
          allowDeselect={false}
          {...fields.getInputProps('operator')}
        />
        <TextInput label={t('sim-cards:field.supplier')} maxLength={100} {...fields.getInputProps('supplier')} />
        <Select
          label={t('sim-cards:field.status')}
          data={STATUSES.map((value) => ({ value, label: t(`sim-cards:status.${value}`) }))}
          allowDeselect={false}
          {...fields.getInputProps('status')}
        />
        <TextInput label={t('sim-cards:field.plan_title')} maxLength={100} {...fields.getInputProps('plan_title')} />
        <NumberField
          label={t('sim-cards:field.plan_bytes')}
          description={t('sim-cards:hint.plan')}
          min={0}
          max={MAX_MB}
          data-testid="sim-plan"
          {...fields.getInputProps('plan_mb')}
        />
        <NumberField
          label={t('sim-cards:field.balance')}
          description={t('sim-cards:hint.balance')}
          min={-MAX_MONEY}
          max={MAX_MONEY}
          decimalScale={2}
          {...fields.getInputProps('balance')}
        />
        {DAYS.map((name) => (
          <DateInput
            key={name}
            label={t(`sim-cards:field.${name}`)}
            valueFormat="YYYY-MM-DD"
            locale={i18n.language === 'zh' ? 'zh-cn' : 'en'}
            clearable
            clearButtonProps={{ 'aria-label': t('base:table.clear') }}
            data-testid={`sim-${name}`}
            {...fields.getInputProps(name)}
          />
        ))}
        <NumberField
          label={t('sim-cards:field.test_bytes')}
          min={0}
          max={MAX_MB}
          {...fields.getInputProps('test_mb')}
        />
      </SimpleGrid>
      <Switch label={t('sim-cards:field.activated')} {...fields.getInputProps('activated', { type: 'checkbox' })} />
      <Textarea
        label={t('sim-cards:field.remark')}
        maxLength={500}
        autosize
        maxRows={6}
        {...fields.getInputProps('remark')}
      />
    </>
  );
}
