import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import { usePerm } from '@/components/permission';
import { NoTemplates } from '@/blocks/templates/NoTemplates';
import { AsyncPicker } from '@/components/AsyncPicker';
import { findTemplates } from '../api';
import type { WizardDraft } from '../wizard';

/** Ports, slaves and points of the whole gateway. */
export function GatewayTemplateStep({ form }: { form: ApiForm<WizardDraft> }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const may = usePerm('DeviceTemplate');
  return (
    <>
      <Text mb="md">{t('devices:wizard.gatewayText')}</Text>
      {may ? (
        <AsyncPicker
          label={t('devices:wizard.gateway')}
          description={t('devices:wizard.none')}
          value={fields.getValues().gateway_template}
          onChange={(choice) => fields.setFieldValue('gateway_template', choice)}
          load={(search, signal) => findTemplates('gateway', search, signal)}
          queryKey={['template', 'pick', 'gateway']}
          error={fields.errors.gateway_template}
          empty={<NoTemplates category="gateway" />}
          clearable
          testId="wizard-gateway-template"
        />
      ) : (
        <Text c="dimmed">{t('devices:wizard.noTemplates')}</Text>
      )}
    </>
  );
}
