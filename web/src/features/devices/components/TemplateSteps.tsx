import { SegmentedControl, Select, Text, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '@/components/form/NumberField';
import type { ApiForm } from '@/components/form/useApiForm';
import { protocolWord } from '@/components/templates/protocolWord';
import { usePerm } from '@/components/permission';
import { AsyncPicker } from '@/components/UserPicker';
import { findTemplates } from '../api';
import classes from '../devices.module.css';
import { BAUDS } from '../wizard';
import type { WizardDraft } from '../wizard';

interface Props {
  form: ApiForm<WizardDraft>;
}

/** A point template, and the slave that gets its points. */
export function PointTemplateStep({ form }: Props): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const draft = fields.getValues();
  return (
    <>
      <Text mb="md">{t('devices:wizard.pointsText')}</Text>
      <TemplatePicker form={form} name="point_template" category="point" />
      {draft.point_template === null ? null : (
        <div className={classes.pairs} style={{ marginTop: 16 }}>
          <TextInput label={t('devices:wizard.slaveName')} maxLength={64} data-testid="wizard-slave" {...fields.getInputProps('slave_name')} />
          <TextInput label={t('devices:wizard.slaveAddress')} maxLength={64} {...fields.getInputProps('slave_address')} />
          <div className={classes.wide}>
            <div className={classes.label}>{t('devices:wizard.port')}</div>
            <SegmentedControl
              data={['NET', 'COM'].map((value) => ({ value, label: t(`devices:wizard.portType.${value}`) }))}
              value={draft.port_type}
              onChange={(value) => fields.setFieldValue('port_type', value as WizardDraft['port_type'])}
              aria-label={t('devices:wizard.port')}
            />
          </div>
          {draft.port_type === 'NET' ? (
            <>
              <TextInput label={t('devices:wizard.host')} maxLength={200} data-testid="wizard-host" {...fields.getInputProps('port_host')} />
              <NumberField label={t('devices:wizard.portNumber')} min={1} max={65535} allowDecimal={false} hideControls {...fields.getInputProps('port_number')} />
            </>
          ) : (
            <>
              <TextInput label={t('devices:wizard.device')} maxLength={200} {...fields.getInputProps('port_device')} />
              <Select label={t('devices:wizard.baud')} data={[...BAUDS]} allowDeselect={false} {...fields.getInputProps('port_baud')} />
            </>
          )}
        </div>
      )}
    </>
  );
}

/** Ports, slaves and points of the whole gateway. */
export function GatewayTemplateStep({ form }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <Text mb="md">{t('devices:wizard.gatewayText')}</Text>
      <TemplatePicker form={form} name="gateway_template" category="gateway" />
    </>
  );
}

function TemplatePicker({ form, name, category }: Props & { name: 'point_template' | 'gateway_template'; category: 'point' | 'gateway' }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  if (!usePerm('DeviceTemplate')) return <Text c="dimmed">{t('devices:wizard.noTemplates')}</Text>;
  return (
    <AsyncPicker
      label={t(`devices:wizard.${category === 'point' ? 'points' : 'gateway'}`)}
      description={t('devices:wizard.none')}
      value={fields.getValues()[name]}
      onChange={(choice) => fields.setFieldValue(name, choice)}
      load={(search, signal) => findTemplates(category, search, signal)}
      queryKey={['template', 'pick', category]}
      noteText={(protocol) => (protocol === '' ? '' : protocolWord(protocol, t))}
      error={fields.errors[name]}
      clearable
      testId={`wizard-${category}-template`}
    />
  );
}
