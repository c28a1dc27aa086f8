import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '@/components/form/NumberField';
import type { ApiForm } from '@/components/form/useApiForm';
import { KEPT_FIELDS, MOST_DAYS } from './api';
import type { KeptValues } from './useKeptForm';

/** Days of each kind of data, the finest first. */
export function KeptFields({ form }: { form: ApiForm<KeptValues> }): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('base:retention.rule')}
      </Text>
      {KEPT_FIELDS.map((field) => (
        <NumberField
          key={field}
          label={t(`base:retention.of.${field}`)}
          description={t(`base:retention.about.${field}`)}
          suffix={t('base:retention.days')}
          min={0}
          max={MOST_DAYS}
          allowDecimal={false}
          hideControls
          {...form.fields.getInputProps(field)}
          data-testid={`kept-${field}`}
        />
      ))}
    </>
  );
}
