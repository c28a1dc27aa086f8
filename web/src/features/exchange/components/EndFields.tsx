import { Fieldset, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { findDevices } from '@/blocks/devices/devicePicker';
import type { ApiForm } from '@/components/form/useApiForm';
import { errorText } from '@/components/notices';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { Choice } from '@/components/AsyncPicker';
import { loadPoints } from '../api';
import type { DataSource } from '../api';
import type { Draft } from '../draft';

interface Props {
  form: ApiForm<Draft>;
  end: 'source' | 'target';
}

/** A gateway and one of its points; of the target only what can be written. */
export function EndFields({ form, end }: Props): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const device = fields.getValues()[`${end}_device`];
  const {
    data: points = [],
    isFetching,
    error,
  } = useQuery({
    queryKey: ['device', Number(device?.value ?? 0), 'sources'],
    queryFn: ({ signal }) => loadPoints(device?.value ?? '', signal),
    enabled: device !== null,
    meta: { errorInPlace: true },
  });
  const choose = (chosen: Choice | null): void => {
    fields.setFieldValue(`${end}_device`, chosen);
    if (chosen?.value !== device?.value) fields.setFieldValue(`${end}_dsid`, null);
  };
  const failed = error === null ? null : errorText(error) || t('base:error.failed');
  const input = fields.getInputProps(`${end}_dsid`);
  const offered = end === 'source' ? points : points.filter(({ rw }) => rw !== 'readonly');
  return (
    <Fieldset legend={t(`exchange:end.${end}`)}>
      <AsyncPicker
        label={t('exchange:field.device')}
        value={device}
        onChange={choose}
        load={findDevices}
        queryKey={['device', 'pick']}
        required
        error={fields.getInputProps(`${end}_device`).error as ReactNode}
        testId={`${end}-device`}
      />
      <Select
        label={t('exchange:field.point')}
        data={grouped(offered)}
        searchable
        required
        disabled={device === null}
        nothingFoundMessage={isFetching ? t('base:loading') : (failed ?? t('base:table.noMatch'))}
        mt="xs"
        data-testid={`${end}-point`}
        {...input}
        error={failed ?? (device === null ? null : (input.error as ReactNode))}
      />
    </Fieldset>
  );
}

function grouped(points: readonly DataSource[]): { group: string; items: { value: string; label: string }[] }[] {
  const groups = new Map<string, { value: string; label: string }[]>();
  for (const { slave, slave_title, dsid, ds_title, ds_name, unit } of points) {
    const group = slave_title || slave;
    const label = `${ds_title || ds_name}${unit === '' ? '' : ` (${unit})`}`;
    groups.set(group, [...(groups.get(group) ?? []), { value: String(dsid), label }]);
  }
  return [...groups].map(([group, items]) => ({ group, items }));
}
