import { Button, Input, MultiSelect, SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { findDevices } from '@/blocks/devices/devicePicker';
import { listed } from '@/blocks/devices/ProjectSelect';
import { AsyncMultiPicker } from '@/components/AsyncMultiPicker';
import { NumberField } from '@/components/form/NumberField';
import type { ApiForm } from '@/components/form/useApiForm';
import { projectTree } from '@/lib/projectTree';
import { projectsQuery, titlesOf } from '../api';
import { lowestVersion, MAX_CHANGES, NO_CHANGE } from '../model/plans';
import type { ChangeDraft, PlanDraft } from '../model/plans';
import type { Group } from '../model/schema';
import { ChangeFields } from './ChangeFields';

const MAX_DEVICES = 1000;
/** So many are asked for one by one; others are known by their numbers. */
const MAX_TITLES = 50;

/** before: version that the plan has; 0 for a new one. */
export default function PlanFields({
  form,
  groups,
  before,
}: {
  form: ApiForm<PlanDraft>;
  groups: readonly Group[];
  before: number;
}): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const draft = fields.getValues();
  const projects = useQuery(projectsQuery).data?.nodes ?? [];
  const titles = useTitles(draft);
  const set = (changes: readonly ChangeDraft[]): void => {
    fields.setFieldValue('changes', changes as never);
    for (const path of Object.keys(fields.errors)) if (path.startsWith('changes')) fields.clearFieldError(path);
  };
  return (
    <>
      <TextInput
        label={t('parameters:plan.title')}
        maxLength={100}
        withAsterisk
        data-testid="plan-title"
        {...fields.getInputProps('title')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NumberField
          label={t('parameters:plan.version')}
          description={t('parameters:plan.versionHint', { lowest: lowestVersion(draft.changes, before) })}
          min={1}
          allowDecimal={false}
          withAsterisk
          data-testid="plan-version"
          {...fields.getInputProps('version')}
        />
        <Switch
          label={t('parameters:plan.enabled')}
          mt={{ base: 0, sm: 44 }}
          {...fields.getInputProps('enabled', { type: 'checkbox' })}
        />
      </SimpleGrid>
      <MultiSelect
        label={t('parameters:plan.projects')}
        description={t('parameters:plan.projectsHint')}
        data={listed(projectTree(projects))}
        searchable
        hidePickedOptions
        data-testid="plan-projects"
        {...fields.getInputProps('projects')}
      />
      <AsyncMultiPicker
        label={t('parameters:plan.devices')}
        description={t('parameters:plan.devicesHint')}
        value={draft.devices.map((one) => ({ ...one, label: titles?.get(Number(one.value)) ?? one.label }))}
        onChange={(chosen) => {
          fields.setFieldValue('devices', chosen as never);
          fields.clearFieldError('projects');
        }}
        load={findDevices}
        queryKey={['device', 'picker']}
        max={MAX_DEVICES}
        error={fields.errors.devices}
        testId="plan-devices"
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label={t('parameters:plan.agentMin')}
          description={t('parameters:plan.agentHint')}
          placeholder="1.4.0"
          {...fields.getInputProps('agent_min')}
        />
        <TextInput
          label={t('parameters:plan.agentMax')}
          description={t('parameters:plan.agentHint')}
          placeholder="2.0"
          {...fields.getInputProps('agent_max')}
        />
      </SimpleGrid>
      <Textarea
        label={t('parameters:plan.remark')}
        maxLength={500}
        autosize
        minRows={1}
        {...fields.getInputProps('remark')}
      />
      <Input.Wrapper label={t('parameters:plan.changes')} labelElement="div" error={fields.errors.changes}>
        {draft.changes.map((change, at) => (
          <ChangeFields
            // Changes have no name of their own, and their places are what faults name.
            // oxlint-disable-next-line react/no-array-index-key
            key={at}
            groups={groups}
            change={change}
            path={`changes.${at}`}
            errors={fields.errors}
            number={at + 1}
            onChange={(changed) => set(draft.changes.map((each, place) => (place === at ? changed : each)))}
            onRemove={
              draft.changes.length === 1 ? undefined : () => set(draft.changes.filter((_each, place) => place !== at))
            }
          />
        ))}
      </Input.Wrapper>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconPlus size={14} />}
        disabled={draft.changes.length >= MAX_CHANGES}
        onClick={() => set([...draft.changes, NO_CHANGE])}
        data-testid="change-add"
      >
        {t('parameters:plan.addChange')}
      </Button>
    </>
  );
}

/** Titles of the gateways of a plan that is changed: it has their numbers alone. */
function useTitles({ devices }: PlanDraft): ReadonlyMap<number, string> | undefined {
  const ids = devices.filter(({ label, value }) => label === `#${value}`).map(({ value }) => Number(value));
  const asked = ids.slice(0, MAX_TITLES);
  return useQuery({
    queryKey: ['device', 'titles', ...asked],
    queryFn: () => titlesOf(asked),
    enabled: asked.length > 0,
    staleTime: Infinity,
  }).data;
}
