import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import { gatewaysQuery, slavesQuery } from '../api';

/** A gateway and, for a point template, one of its slaves. The form's values have device and slave. */
export function GatewayFields<Values extends { device: string; slave: string }>({ form, withSlave }: { form: ApiForm<Values>; withSlave: boolean }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { device } = fields.getValues();
  const { data: gateways } = useQuery(gatewaysQuery);
  const { data: slaves } = useQuery({ ...slavesQuery(Number(device)), enabled: withSlave && device !== '' });
  return (
    <>
      <Select
        label={t('templates:field.gateway')}
        required
        searchable
        data={(gateways ?? []).map((row) => ({ value: String(row.id), label: `${row.device_title} (${row.gateway_id})` }))}
        data-testid="node-device"
        {...fields.getInputProps('device')}
      />
      {withSlave ? (
        <Select
          label={t('templates:field.slave')}
          required
          searchable
          disabled={device === ''}
          data={(slaves?.rows ?? []).map(({ fields: slave }) => ({ value: String(slave.name), label: slave.title ? `${String(slave.title)} (${String(slave.name)})` : String(slave.name) }))}
          data-testid="node-slave"
          {...fields.getInputProps('slave')}
        />
      ) : null}
    </>
  );
}
