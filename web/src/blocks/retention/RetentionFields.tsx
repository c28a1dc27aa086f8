import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '@/components/form/NumberField';
import type { ApiForm } from '@/components/form/useApiForm';
import { RETENTION_FIELDS, MAX_DAYS } from './api';
import type { RetentionValues } from './useRetentionForm';

/** Days of each kind of data, the finest first. */
export function RetentionFields({ form }: { form: ApiForm<RetentionValues> }): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('base:retention.rule')}
      </Text>
      {RETENTION_FIELDS.map((field) => (
        <NumberField
          key={field}
          label={t(`base:retention.of.${field}`)}
          description={t(`base:retention.about.${field}`)}
          suffix={t('base:retention.days')}
          min={0}
          max={MAX_DAYS}
          allowDecimal={false}
          hideControls
          {...form.fields.getInputProps(field)}
          data-testid={`kept-${field}`}
        />
      ))}
    </>
  );
}
