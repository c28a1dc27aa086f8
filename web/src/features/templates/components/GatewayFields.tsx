import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { findDevices } from '@/blocks/devices/devicePicker';
import type { ApiForm } from '@/components/form/useApiForm';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { Choice } from '@/components/AsyncPicker';
import { slavesQuery } from '../api';

/** A gateway and, for a point template, one of its slaves. The form's values have device and slave. */
export function GatewayFields<Values extends { device: Choice | null; slave: string }>({
  form,
  withSlave,
}: {
  form: ApiForm<Values>;
  withSlave: boolean;
}): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { device } = fields.getValues();
  const { data: slaves } = useQuery({ ...slavesQuery(Number(device?.value)), enabled: withSlave && device !== null });
  const choose = (chosen: Choice | null): void => {
    fields.getInputProps('device').onChange(chosen);
    if (chosen?.value !== device?.value) fields.getInputProps('slave').onChange('');
  };
  return (
    <>
      <AsyncPicker
        label={t('templates:field.gateway')}
        required
        load={findDevices}
        queryKey={['device', 'pick']}
        testId="node-device"
        {...fields.getInputProps('device')}
        value={device}
        onChange={choose}
      />
      {withSlave ? (
        <Select
          label={t('templates:field.slave')}
          required
          searchable
          disabled={device === null}
          data={(slaves?.rows ?? []).map(({ fields: slave }) => ({
            value: String(slave.name),
            label: slave.title ? `${String(slave.title)} (${String(slave.name)})` : String(slave.name),
          }))}
          data-testid="node-slave"
          {...fields.getInputProps('slave')}
        />
      ) : null}
    </>
  );
}
