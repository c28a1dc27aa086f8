import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import type { Draft } from '../draft';
import type { WizardDraft } from '../wizard';
import { ProjectField } from './BasicFields';

/** The project that the gateway goes into, or none yet. */
export function ProjectStep({ form }: { form: ApiForm<WizardDraft> }): ReactElement {
  const { t } = useTranslation();
  const { gateway_id, device_title, gateway_template, point_template, slave_name } = form.fields.getValues();
  return (
    <>
      <Text mb="md">{t('devices:wizard.projectText')}</Text>
      <ProjectField form={form as unknown as ApiForm<Draft>} />
      <Text mt="lg" size="sm" c="dimmed">
        {t('devices:wizard.sum', { title: device_title, gateway: gateway_id })}
      </Text>
      {gateway_template === null ? null : (
        <Text size="sm" c="dimmed" data-testid="wizard-sum-gateway">
          {t('devices:wizard.sumGateway', { template: gateway_template.label })}
        </Text>
      )}
      {point_template === null ? null : (
        <Text size="sm" c="dimmed" data-testid="wizard-sum-points">
          {t('devices:wizard.sumPoints', { template: point_template.label, slave: slave_name })}
        </Text>
      )}
    </>
  );
}
