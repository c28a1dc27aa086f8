import '@mantine/dates/styles.css';
import 'dayjs/locale/zh-cn';
import { Stack, Text, TextInput } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import type { CalendarDraft } from '../draft';

/** The inputs of a holiday calendar: its days off, and the days with runs instead. */
export default function CalendarFields({ form }: { form: ApiForm<CalendarDraft> }): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t('tasks:field.title')}
        required
        maxLength={100}
        data-autofocus
        data-testid="calendar-title"
        {...form.fields.getInputProps('title')}
      />
      <Days form={form} name="off" />
      <Days form={form} name="on" />
    </>
  );
}

function Days({ form, name }: { form: ApiForm<CalendarDraft>; name: 'off' | 'on' }): ReactElement {
  const { t, i18n } = useTranslation();
  const { fields } = form;
  const days = fields.getValues()[name];
  const error = fields.errors[name];
  const label = t(`tasks:calendar.${name}`);
  return (
    <Stack gap={4} role="group" aria-label={label} data-testid={`calendar-${name}`}>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <Text size="xs" c="dimmed">
        {t(`tasks:calendar.${name}Text`)}
      </Text>
      <DatePicker
        type="multiple"
        value={days}
        onChange={(chosen) => fields.setFieldValue(name, [...chosen].sort())}
        locale={i18n.language === 'zh' ? 'zh-cn' : 'en'}
      />
      <Text size="xs">{days.join(', ')}</Text>
      {error === undefined ? null : (
        <Text size="xs" c="red">
          {error}
        </Text>
      )}
    </Stack>
  );
}
