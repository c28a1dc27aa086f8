import { Select, Textarea, TextInput } from '@mantine/core';
import type { InputWrapperProps } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import { branded, useGatewayBrand } from '@/blocks/devices/useGatewayBrand';
import { AsyncPicker } from '@/components/AsyncPicker';
import { findProducts, findProjects, GATEWAY_TYPES, MODBUS_TYPES, PROTOCOLS } from '../api';
import classes from '../devices.module.css';
import { MODBUS } from '../draft';
import type { Draft, TextName } from '../draft';

const MAX: Readonly<Record<TextName, number>> = {
  device_title: 200,
  binder_devtitle: 200,
  model: 64,
  imei: 17,
  iccid: 22,
  device_province: 64,
  device_city: 64,
  device_district: 64,
  device_address: 200,
  device_floorroom: 100,
  remark: 500,
};

/** Labels and fields of a pair stand in one line, with or without a hint. */
export const HINT_BELOW: InputWrapperProps['inputWrapperOrder'] = ['label', 'input', 'description', 'error'];

interface Props {
  form: ApiForm<Draft>;
}

/** What a gateway is; brief: without what the wizard asks for elsewhere or leaves for later. */
export function BasicFields({
  form,
  isNew,
  brief = false,
  onSerial,
}: Props & { isNew: boolean; brief?: boolean; onSerial?: () => void }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { protocol } = fields.getValues();
  return (
    <div className={classes.pairs}>
      {isNew ? (
        <TextInput
          label={t('devices:field.gateway_id')}
          description={t('devices:hint.gateway_id')}
          required
          maxLength={40}
          autoComplete="off"
          data-testid="device-gateway"
          {...fields.getInputProps('gateway_id')}
          onBlur={onSerial}
          inputWrapperOrder={HINT_BELOW}
        />
      ) : null}
      <Text form={form} name="device_title" required />
      <Text form={form} name="binder_devtitle" hint />
      <Code form={form} name="gateway_type" options={GATEWAY_TYPES} />
      <Text form={form} name="model" />
      <Code form={form} name="protocol" options={PROTOCOLS} />
      {protocol === MODBUS ? <Code form={form} name="modbus_type" options={MODBUS_TYPES} clearable /> : null}
      {brief ? null : <ProjectField form={form} />}
      <AsyncPicker
        label={t('devices:field.product')}
        value={fields.getValues().product}
        onChange={(choice) => fields.setFieldValue('product', choice)}
        load={findProducts}
        queryKey={['product', 'pick']}
        error={fields.errors.product}
        clearable
        testId="device-product"
      />
      {brief ? null : <Remark form={form} />}
    </div>
  );
}

export function ProjectField({ form }: Props): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  return (
    <AsyncPicker
      label={t('devices:field.project')}
      value={fields.getValues().project}
      onChange={(choice) => fields.setFieldValue('project', choice)}
      load={findProjects}
      queryKey={['project', 'pick']}
      error={fields.errors.project}
      clearable
      testId="device-project"
    />
  );
}

function Remark({ form }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <Textarea
      className={classes.wide}
      label={t('devices:field.remark')}
      autosize
      minRows={2}
      maxLength={MAX.remark}
      {...form.fields.getInputProps('remark')}
    />
  );
}

export function Text({
  form,
  name,
  required,
  hint = false,
}: Props & { name: TextName; required?: boolean; hint?: boolean }): ReactElement {
  const { t } = useTranslation();
  const brand = useGatewayBrand();
  return (
    <TextInput
      label={t(`devices:field.${name}`)}
      description={hint ? t(`devices:hint.${name}`) : undefined}
      inputWrapperOrder={HINT_BELOW}
      required={required}
      maxLength={MAX[name]}
      placeholder={name === 'model' ? brand : undefined}
      data-testid={`device-${name}`}
      {...form.fields.getInputProps(name)}
    />
  );
}

function Code({
  form,
  name,
  options,
  clearable = false,
}: Props & {
  name: 'protocol' | 'gateway_type' | 'modbus_type';
  options: readonly string[];
  clearable?: boolean;
}): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const brand = useGatewayBrand();
  const word = (value: string): string => t(`devices:${name}.${value}`);
  return (
    <Select
      label={t(`devices:field.${name}`)}
      description={name === 'protocol' ? t('devices:hint.protocol') : undefined}
      inputWrapperOrder={HINT_BELOW}
      data={withCurrent(options, fields.getInitialValues()[name]).map((value) => ({
        value,
        label: name === 'gateway_type' ? branded(brand, word(value)) : word(value),
      }))}
      value={fields.getValues()[name] || null}
      onChange={(value) => fields.setFieldValue(name, value ?? '')}
      allowDeselect={false}
      clearable={clearable}
      clearButtonProps={{ 'aria-label': t('base:table.clear') }}
      error={fields.errors[name]}
      data-testid={`device-${name}`}
    />
  );
}

/** The choices, with what the gateway has when nobody is offered that any more. */
function withCurrent(options: readonly string[], current: string): readonly string[] {
  return current === '' || options.includes(current) ? options : [...options, current];
}
