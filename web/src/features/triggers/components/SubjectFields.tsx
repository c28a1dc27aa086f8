import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { findDevices } from '@/blocks/devices/devicePicker';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { Choice } from '@/components/AsyncPicker';
import type { ApiForm } from '@/components/form/useApiForm';
import { errorText } from '@/components/notices';
import { pointsQuery, slavesQuery } from '../api';
import type { DataSource } from '../api';
import { NOT_CONNECTED, SCRIPT } from '../draft';
import type { ConditionDraft, Draft } from '../draft';

interface Props {
  form: ApiForm<Draft>;
  /** Of the condition: 'rules.0.conditions.1'. */
  path: string;
  condition: ConditionDraft;
}

/** A gateway, and the point or slave of it that a condition speaks of. */
export function SubjectFields({ form, path, condition }: Props): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { device, type } = condition;
  const number = Number(device?.value ?? 0);
  const ofSlave = type === NOT_CONNECTED;
  const points = useQuery({ ...pointsQuery(number), enabled: number > 0 && !ofSlave });
  const slaves = useQuery({ ...slavesQuery(number), enabled: number > 0 && ofSlave });
  const { isFetching, error } = ofSlave ? slaves : points;
  const failed = error === null ? null : errorText(error) || t('base:error.failed');
  const choose = (chosen: Choice | null): void => {
    fields.setFieldValue(`${path}.device`, chosen);
    if (chosen?.value !== device?.value) fields.setFieldValue(`${path}.subject`, null);
  };
  const input = fields.getInputProps(`${path}.subject`);
  const data = ofSlave
    ? (slaves.data ?? []).map(({ id, name, title }) => ({ value: String(id), label: title || name }))
    : grouped((points.data ?? []).filter((point) => fits(point, type)));
  return (
    <>
      <AsyncPicker
        label={t('triggers:field.device')}
        value={device}
        onChange={choose}
        load={findDevices}
        queryKey={['device', 'pick']}
        required
        testId={`${path}-device`}
      />
      <Select
        label={t(ofSlave ? 'triggers:field.slave' : 'triggers:field.point')}
        data={data}
        searchable
        required
        disabled={device === null}
        nothingFoundMessage={isFetching ? t('base:loading') : (failed ?? t('base:table.noMatch'))}
        data-testid={`${path}-subject`}
        {...input}
        error={failed ?? (input.error as ReactNode)}
      />
    </>
  );
}

/** A script's outcome is a calculated point; what is only written has no values. */
function fits({ rw, ds_type }: DataSource, type: string): boolean {
  return rw !== 'writeonly' && (type !== SCRIPT || ds_type === 'cal');
}

function grouped(points: readonly DataSource[]): { group: string; items: { value: string; label: string }[] }[] {
  const groups = Map.groupBy(points, ({ slave, slave_title }) => slave_title || slave);
  return [...groups].map(([group, items]) => ({
    group,
    items: items.map(({ dsid, ds_title, ds_name, unit }) => ({
      value: String(dsid),
      label: `${ds_title || ds_name}${unit === '' ? '' : ` (${unit})`}`,
    })),
  }));
}
