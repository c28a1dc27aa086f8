import { ActionIcon, Group, Select, Stack, TextInput, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { findDevices } from '@/blocks/devices/devicePicker';
import { useSwitchWords } from '@/blocks/live/useWords';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { Choice } from '@/components/AsyncPicker';
import { NumberField } from '@/components/form/NumberField';
import type { ApiForm } from '@/components/form/useApiForm';
import { errorText } from '@/components/notices';
import { usePerm } from '@/components/permission';
import { ACTIONS, COMMANDS, pointsQuery, presetsQuery } from '../api';
import type { DataSource } from '../api';
import { sortOf } from '../draft';
import type { ActionDraft, Draft } from '../draft';

/** Commands that whoever only writes values may have carried out. */
const FOR_WRITERS: ReadonlySet<string> = new Set(['refresh', 'forward']);

interface Props {
  form: ApiForm<Draft>;
  at: number;
  action: ActionDraft;
  /** Without it there is none but this one. */
  onRemove?: () => void;
}

/** One action of a task: a value, a preset, another point's value, or a command of a gateway. */
export function ActionFields({ form, at, action, onRemove }: Props): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const path = `actions.${at}`;
  const { kind } = action;
  return (
    <Stack gap="xs" role="group" aria-label={t('tasks:actionAt', { at: at + 1 })} data-testid={path}>
      <Group align="flex-end" wrap="nowrap">
        <Select
          label={t('tasks:actionAt', { at: at + 1 })}
          data={ACTIONS.map((value) => ({ value, label: t(`tasks:action.${value}`) }))}
          allowDeselect={false}
          style={{ flex: 1 }}
          data-testid={`${path}-kind`}
          {...fields.getInputProps(`${path}.kind`)}
        />
        {onRemove === undefined ? null : (
          <Tooltip label={t('tasks:removeAction')}>
            <ActionIcon variant="subtle" color="gray" onClick={onRemove} aria-label={t('tasks:removeAction')}>
              <IconTrash size={16} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
      {kind === 'formula' ? (
        <>
          <Device form={form} path={path} name="source_device" value={action.source_device} clears="source_dsid" />
          <Point form={form} path={path} name="source_dsid" device={action.source_device} isRead />
        </>
      ) : null}
      <Device
        form={form}
        path={path}
        name="device"
        value={action.device}
        clears={kind === 'preset' ? 'preset' : 'dsid'}
      />
      {kind === 'write' || kind === 'formula' ? (
        <Point form={form} path={path} name="dsid" device={action.device} />
      ) : null}
      {kind === 'write' ? <Value form={form} path={path} action={action} /> : null}
      {kind === 'formula' ? (
        <Group grow align="flex-start">
          <NumberField label={t('tasks:field.ratio')} decimalScale={9} {...fields.getInputProps(`${path}.ratio`)} />
          <NumberField label={t('tasks:field.bias')} decimalScale={9} {...fields.getInputProps(`${path}.bias`)} />
        </Group>
      ) : null}
      {kind === 'preset' ? <PresetChoice form={form} path={path} device={action.device} /> : null}
      {kind === 'command' ? <CommandChoice form={form} path={path} /> : null}
    </Stack>
  );
}

interface PartProps {
  form: ApiForm<Draft>;
  path: string;
}

function Device({
  form,
  path,
  name,
  value,
  clears,
}: PartProps & { name: string; value: Choice | null; clears: string }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  return (
    <AsyncPicker
      label={t(`tasks:field.${name}`)}
      value={value}
      onChange={(chosen) => {
        fields.setFieldValue(`${path}.${name}`, chosen);
        if (chosen?.value !== value?.value) fields.setFieldValue(`${path}.${clears}`, null);
      }}
      load={findDevices}
      queryKey={['device', 'pick']}
      required
      error={fields.errors[`${path}.${name}`] as ReactNode}
      testId={`${path}-${name}`}
    />
  );
}

function Point({
  form,
  path,
  name,
  device,
  isRead = false,
}: PartProps & { name: string; device: Choice | null; isRead?: boolean }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { data: points = [], isFetching, error } = useQuery(pointsQuery(Number(device?.value ?? 0)));
  const offered = points.filter(({ rw, ds_type }) =>
    isRead ? rw !== 'writeonly' : rw !== 'readonly' && ds_type !== 'cal',
  );
  const input = fields.getInputProps(`${path}.${name}`);
  const failed = error === null ? null : errorText(error) || t('base:error.failed');
  return (
    <Select
      label={t(`tasks:field.${name}`)}
      data={grouped(offered)}
      searchable
      required
      disabled={device === null}
      nothingFoundMessage={isFetching ? t('base:loading') : (failed ?? t('base:table.noMatch'))}
      data-testid={`${path}-${name}`}
      {...input}
      onChange={(chosen) => {
        fields.setFieldValue(`${path}.${name}`, chosen);
        const point = offered.find(({ dsid }) => String(dsid) === chosen);
        if (isRead || point === undefined) return;
        fields.setFieldValue(`${path}.sort`, sortOf(point));
        fields.setFieldValue(`${path}.value`, sortOf(point) === 'switch' ? 'true' : '');
      }}
      error={failed ?? (input.error as ReactNode)}
    />
  );
}

function Value({ form, path, action }: PartProps & { action: ActionDraft }): ReactElement {
  const { t } = useTranslation();
  const words = useSwitchWords();
  const { data: points = [] } = useQuery(pointsQuery(Number(action.device?.value ?? 0)));
  const point = points.find(({ dsid }) => String(dsid) === action.dsid);
  const input = form.fields.getInputProps(`${path}.value`);
  const label = t('tasks:field.value');
  const named = namesOf(action, point, words);
  return named === null ? (
    <TextInput
      label={label}
      required={action.sort !== 'text'}
      inputMode={action.sort === 'number' ? 'decimal' : undefined}
      rightSection={point?.unit}
      data-testid={`${path}-value`}
      {...input}
    />
  ) : (
    <Select label={label} data={named} allowDeselect={false} required data-testid={`${path}-value`} {...input} />
  );
}

/** Values that have names; null when any may be entered. */
function namesOf(
  { sort }: ActionDraft,
  point: DataSource | undefined,
  words: ReturnType<typeof useSwitchWords>,
): { value: string; label: string }[] | null {
  if (sort === 'switch')
    return [
      { value: 'true', label: point?.on_text || words.on },
      { value: 'false', label: point?.off_text || words.off },
    ];
  if (!point?.selector) return null;
  return Object.entries(point.selector).map(([value, label]) => ({ value, label: `${label} (${value})` }));
}

function PresetChoice({ form, path, device }: PartProps & { device: Choice | null }): ReactElement {
  const { t } = useTranslation();
  const { data: presets = [], isFetching, error } = useQuery(presetsQuery(Number(device?.value ?? 0)));
  const failed = error === null ? null : errorText(error) || t('base:error.failed');
  const input = form.fields.getInputProps(`${path}.preset`);
  return (
    <Select
      label={t('tasks:field.presetCommand')}
      data={presets.map(({ id, title }) => ({ value: String(id), label: title }))}
      searchable
      required
      disabled={device === null}
      nothingFoundMessage={isFetching ? t('base:loading') : (failed ?? t('tasks:noPresets'))}
      data-testid={`${path}-preset`}
      {...input}
      error={failed ?? (input.error as ReactNode)}
    />
  );
}

function CommandChoice({ form, path }: PartProps): ReactElement {
  const { t } = useTranslation();
  const manages = usePerm('DeviceManage');
  return (
    <Select
      label={t('tasks:field.command')}
      data={COMMANDS.map((value) => ({
        value,
        label: t(`tasks:command.${value}`),
        disabled: !manages && !FOR_WRITERS.has(value),
      }))}
      allowDeselect={false}
      data-testid={`${path}-command`}
      {...form.fields.getInputProps(`${path}.command`)}
    />
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
