import { MultiSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { AsyncMultiPicker } from '@/components/AsyncMultiPicker';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { Choice } from '@/components/AsyncPicker';
import type { ApiForm } from '@/components/form/useApiForm';
import { FILES, findFiles, findGateways, IMAGE, PACKAGE, planQuery, PROJECTS, projectsQuery } from '../api';
import type { PlanRow } from '../api';
import { MAX_DEVICES, MAX_PROJECTS } from '../draft';
import type { PlanDraft } from '../draft';
import { GatewayChooser } from './GatewayChooser';

interface Props {
  form: ApiForm<PlanDraft>;
}

/** Of a level, as wide as two letters. */
const INDENT = '\u2003';
/** Projects that a field offers at once; typing finds the others. */
const SHOWN_PROJECTS = 100;

/** For which gateways a plan is. row: whose titles of gateways are known. */
export function RangeFields({ form: { fields }, row }: Props & { row: PlanRow | null }): ReactElement {
  const { t } = useTranslation();
  const draft = fields.getValues();
  return (
    <>
      <SegmentedControl
        aria-label={t('firmware:field.range')}
        data={(['project', 'device'] as const).map((value) => ({ value, label: t(`firmware:range.${value}`) }))}
        data-testid="plan-range"
        {...fields.getInputProps('range')}
      />
      {draft.range === 'project' ? <Projects form={fields} /> : <Gateways form={fields} row={row} />}
      <TextInput
        type="date"
        label={t('firmware:field.created_after_ms')}
        description={t('firmware:hint.created_after_ms')}
        data-testid="plan-created-after"
        {...fields.getInputProps('created_after_ms')}
      />
    </>
  );
}

type Fields = ApiForm<PlanDraft>['fields'];

/** Projects for a field, each with its gateways. */
function useProjects(): { listed: { value: string; label: string }[]; isError: boolean } {
  const { data, isError } = useQuery(projectsQuery());
  const listed = (data ?? []).flatMap(({ project_id, title, depth, gateways }) =>
    project_id === null
      ? []
      : [{ value: String(project_id), label: `${INDENT.repeat(depth - 1)}${title} (${gateways})` }],
  );
  return { listed, isError };
}

function Projects({ form }: { form: Fields }): ReactElement {
  const { t } = useTranslation();
  const { listed, isError } = useProjects();
  const { project_ids } = form.getValues();
  const known = new Set(listed.map(({ value }) => value));
  const gone = project_ids
    .filter((id) => !known.has(id))
    .map((id) => ({ value: id, label: t('base:picker.unknown', { id }) }));
  return (
    <MultiSelect
      label={t('firmware:field.project_ids')}
      description={t('firmware:hint.project_ids')}
      data={[...gone, ...listed]}
      searchable
      hidePickedOptions
      required
      limit={SHOWN_PROJECTS}
      maxValues={MAX_PROJECTS}
      nothingFoundMessage={isError ? t('base:error.failed') : t('firmware:noProjects')}
      data-testid="plan-projects"
      {...form.getInputProps('project_ids')}
    />
  );
}

function Gateways({ form, row }: { form: Fields; row: PlanRow | null }): ReactElement {
  const { t } = useTranslation();
  const { data: detail } = useQuery({ ...planQuery(row?.id ?? 0), enabled: row !== null, refetchInterval: false });
  const titles = new Map(detail?.targets.map(({ id, title }) => [String(id), title]));
  const { device_ids } = form.getValues();
  const { listed } = useProjects();
  const choose = (chosen: Choice[]): void => form.setFieldValue('device_ids', chosen);
  return (
    <>
      <AsyncMultiPicker
        label={t('firmware:field.device_ids')}
        description={t('firmware:hint.device_ids', { count: device_ids.length })}
        value={device_ids.map((choice) => ({ ...choice, label: titles.get(choice.value) ?? choice.label }))}
        onChange={choose}
        load={findGateways}
        queryKey={[...PROJECTS, 'gateways']}
        error={form.errors.device_ids as ReactNode}
        max={MAX_DEVICES}
        required
        testId="plan-devices"
      />
      <GatewayChooser chosen={device_ids} onChange={choose} projects={listed} />
    </>
  );
}

/** What is installed: the upgrade type first, then a file of it. */
export function FileField({ form: { fields } }: Props): ReactElement {
  const { t } = useTranslation();
  const { upgrade_type, firmware_id } = fields.getValues();
  return (
    <>
      <SegmentedControl
        aria-label={t('firmware:field.upgrade_type')}
        data={[IMAGE, PACKAGE].map((value) => ({ value: String(value), label: t(`firmware:type.${value}`) }))}
        value={upgrade_type}
        onChange={(chosen) => fields.setValues({ upgrade_type: chosen, firmware_id: null })}
        data-testid="plan-type"
      />
      <AsyncPicker
        key={upgrade_type}
        label={t('firmware:field.firmware_id')}
        description={t(`firmware:typeText.${upgrade_type}`)}
        value={firmware_id}
        onChange={(chosen) => fields.setFieldValue('firmware_id', chosen)}
        load={(search, signal) => findFiles(Number(upgrade_type), search, signal)}
        queryKey={[...FILES, 'pick', upgrade_type]}
        noteText={(note) => (note === '' ? '' : t('firmware:untrusted'))}
        empty={t('firmware:noFiles')}
        error={
          (fields.errors.firmware_id as ReactNode) ??
          (firmware_id?.note === 'untrusted' ? t('firmware:why.untrusted') : undefined)
        }
        required
        testId="plan-file"
      />
    </>
  );
}
