import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import { protocolWord } from '@/blocks/templates/protocolWord';
import type { Draft } from '../draft';
import type { WizardDraft } from '../wizard';
import { ProjectField } from './BasicFields';

/** The project that the gateway goes into, or none yet. */
export function ProjectStep({ form }: { form: ApiForm<WizardDraft> }): ReactElement {
  const { t } = useTranslation();
  const { gateway_id, device_title, gateway_template, slaves } = form.fields.getValues();
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
      {slaves.map(({ key, name, protocol, template }) => (
        <Text key={key} size="sm" c="dimmed" data-testid="wizard-sum-slave">
          {t('devices:wizard.sumSlave', {
            name,
            protocol: protocolWord(protocol),
            template: template?.label ?? t('devices:wizard.pointsLater'),
          })}
        </Text>
      ))}
    </>
  );
}
