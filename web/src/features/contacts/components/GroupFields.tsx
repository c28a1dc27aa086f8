import { Fieldset, Group, MultiSelect, SegmentedControl, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { findDevices } from '@/blocks/devices/devicePicker';
import { AsyncMultiPicker } from '@/components/AsyncMultiPicker';
import type { ApiForm } from '@/components/form/useApiForm';
import { ALARM_TYPES } from '@/lib/alarmTypes';
import { channelsQuery, CONTACT_CHANNELS, findContacts, levelsQuery } from '../api';
import type { GroupDraft } from '../draft';
import { LanguageField } from './ContactFields';
import { ProjectsField } from './ProjectsField';
import { RobotFields } from './RobotFields';

const MAX_MEMBERS = 200;
const MAX_CHOSEN = 500;
/** Their ends are told by the switch for recoveries. */
const RECOVERIES: ReadonlySet<string> = new Set(['0', '3']);

/** The inputs of a group: who, how, of what, when. */
export default function GroupFields({ form }: { form: ApiForm<GroupDraft> }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { gateways, device_ids, contact_ids, language, is_quiet, robots } = fields.getValues();
  const { data: known = [] } = useQuery(channelsQuery);
  const { data: levels = [] } = useQuery(levelsQuery);
  const types = [
    ...Object.keys(ALARM_TYPES)
      .filter((type) => !RECOVERIES.has(type))
      .map((value) => ({ value, label: t(`base:alarmType.${value}`) })),
    ...levels.map(({ id, title }) => ({ value: String(id), label: title })),
  ];
  const channelLabel = (channel: string): string => {
    const label = t(`base:delivery.channel.${channel}`);
    const isOff = known.some((row) => row.name === channel && !row.configured);
    return isOff ? t('contacts:notSetUp', { channel: label }) : label;
  };
  return (
    <>
      <TextInput
        label={t('contacts:field.title')}
        required
        maxLength={100}
        data-autofocus
        data-testid="group-title"
        {...fields.getInputProps('title')}
      />
      <AsyncMultiPicker
        label={t('contacts:field.members')}
        value={contact_ids}
        onChange={(chosen) => fields.setFieldValue('contact_ids', chosen)}
        load={findContacts}
        queryKey={['contact', 'pick']}
        max={MAX_MEMBERS}
        testId="group-members"
      />
      <MultiSelect
        label={t('contacts:field.channels')}
        data={CONTACT_CHANNELS.map((value) => ({ value, label: channelLabel(value) }))}
        data-testid="group-channels"
        {...fields.getInputProps('channels')}
      />
      <Fieldset legend={t('contacts:what')}>
        <Stack gap="xs">
          <Select
            label={t('contacts:field.level')}
            description={t('contacts:field.levelText')}
            data={['info', 'warning', 'danger'].map((value) => ({ value, label: t(`contacts:level.${value}`) }))}
            allowDeselect={false}
            {...fields.getInputProps('lowest_level')}
          />
          <MultiSelect
            label={t('contacts:field.types')}
            placeholder={t('contacts:allTypes')}
            data={types}
            searchable
            {...fields.getInputProps('alarm_types')}
          />
          <SegmentedControl
            aria-label={t('contacts:field.gateways')}
            data={['all', 'devices', 'projects'].map((value) => ({ value, label: t(`contacts:gateways.${value}`) }))}
            {...fields.getInputProps('gateways')}
          />
          {gateways === 'devices' ? (
            <AsyncMultiPicker
              label={t('contacts:gateways.devices')}
              value={device_ids}
              onChange={(chosen) => fields.setFieldValue('device_ids', chosen)}
              load={findDevices}
              queryKey={['device', 'pick']}
              max={MAX_CHOSEN}
              required
              error={fields.errors.device_ids}
              testId="group-devices"
            />
          ) : null}
          {gateways === 'projects' ? <ProjectsField {...fields.getInputProps('project_ids')} /> : null}
          <Switch
            label={t('contacts:field.recoveries')}
            {...fields.getInputProps('recoveries', { type: 'checkbox' })}
          />
        </Stack>
      </Fieldset>
      <Fieldset legend={t('contacts:when')}>
        <Stack gap="xs">
          <Switch
            label={t('contacts:field.quiet')}
            description={t('contacts:field.quietText')}
            data-testid="group-quiet"
            {...fields.getInputProps('is_quiet', { type: 'checkbox' })}
          />
          {is_quiet ? (
            <>
              <Group grow>
                <TextInput type="time" label={t('contacts:field.start')} required {...fields.getInputProps('start')} />
                <TextInput type="time" label={t('contacts:field.end')} required {...fields.getInputProps('end')} />
              </Group>
              <Switch
                label={t('contacts:field.dangerPasses')}
                {...fields.getInputProps('danger_passes', { type: 'checkbox' })}
              />
            </>
          ) : null}
        </Stack>
      </Fieldset>
      <Fieldset legend={t('contacts:robots')}>
        <Stack gap="xs">
          {robots.map((robot, at) => (
            <RobotFields key={robot.kind} form={form} at={at} robot={robot} />
          ))}
          <LanguageField value={language} onChange={(value) => fields.setFieldValue('language', value)} />
        </Stack>
      </Fieldset>
      <Switch label={t('contacts:field.enabled')} {...fields.getInputProps('enabled', { type: 'checkbox' })} />
    </>
  );
}
