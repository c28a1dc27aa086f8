import { Button, Fieldset, Group, SegmentedControl, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { AsyncMultiPicker } from '@/components/AsyncMultiPicker';
import { NumberField } from '@/components/form/NumberField';
import type { ApiForm } from '@/components/form/useApiForm';
import { usePerm } from '@/components/permission';
import { ALARM_TYPES } from '@/lib/alarmTypes';
import { findGroups, levelsQuery } from '../api';
import { newCondition, newLinkage } from '../draft';
import type { Draft, RuleDraft } from '../draft';
import { Backtest } from './Backtest';
import { ConditionFields } from './ConditionFields';
import { LinkageFields } from './LinkageFields';
import { Preview } from './Preview';

const MAX_CONDITIONS = 50;
const MAX_LINKAGES = 20;
const MAX_GROUPS = 50;
const LONGEST_S = 86_400;
const LONGEST_MIN = 31 * 1440;
/** Days of which a rule is tried. */
const PERIODS = ['1', '7', '30'] as const;
const DAY_MS = 86_400_000;
/** Something has recovered: no rule makes these. */
const RECOVERIES: ReadonlySet<string> = new Set(['0', '3']);

interface Props {
  form: ApiForm<Draft>;
  at: number;
  rule: RuleDraft;
  onRemove: (() => void) | undefined;
}

/** When, for how long, and what then. */
export function RuleFields({ form, at, rule, onRemove }: Props): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const path = `rules.${at}`;
  const [days, setDays] = useState<string>(PERIODS[0]);
  const { data: levels = [] } = useQuery(levelsQuery);
  const mayNotify = usePerm('TriggerContact/index');
  const types = [
    ...Object.keys(ALARM_TYPES)
      .filter((type) => !RECOVERIES.has(type))
      .map((value) => ({ value, label: t(`base:alarmType.${value}`) })),
    ...levels.map(({ id, title }) => ({ value: String(id), label: title })),
  ];
  return (
    <Fieldset legend={rule.title || t('triggers:rule', { number: at + 1 })} data-testid={path}>
      <Stack gap="xs">
        <TextInput
          label={t('triggers:field.ruleTitle')}
          description={t('triggers:field.ruleTitleText')}
          required
          maxLength={100}
          data-testid={`${path}-title`}
          {...fields.getInputProps(`${path}.title`)}
        />
        <Group justify="space-between">
          <Text fw={600}>{t('triggers:when')}</Text>
          {rule.conditions.length > 1 ? (
            <SegmentedControl
              aria-label={t('triggers:field.logic')}
              data={['1', '2'].map((value) => ({ value, label: t(`triggers:logic.${value}`) }))}
              {...fields.getInputProps(`${path}.logic`)}
            />
          ) : null}
        </Group>
        {rule.conditions.map((condition, place) => (
          <ConditionFields
            key={condition.key}
            form={form}
            path={`${path}.conditions.${place}`}
            condition={condition}
            onRemove={
              rule.conditions.length === 1 ? undefined : () => fields.removeListItem(`${path}.conditions`, place)
            }
          />
        ))}
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} stroke={1.6} />}
            disabled={rule.conditions.length >= MAX_CONDITIONS}
            onClick={() =>
              fields.insertListItem(`${path}.conditions`, newCondition(rule.conditions.at(-1)?.device ?? null))
            }
            data-testid={`${path}-add-condition`}
          >
            {t('triggers:addCondition')}
          </Button>
        </Group>
        <Group grow align="flex-start">
          <NumberField
            label={t('triggers:field.delay')}
            description={t('triggers:field.delayText')}
            min={0}
            max={LONGEST_S}
            suffix=" s"
            data-testid={`${path}-delay`}
            {...fields.getInputProps(`${path}.delay_s`)}
          />
          <NumberField
            label={t('triggers:field.offDelay')}
            description={t('triggers:field.offDelayText')}
            min={0}
            max={LONGEST_S}
            suffix=" s"
            {...fields.getInputProps(`${path}.off_delay_s`)}
          />
        </Group>
        <Text fw={600}>{t('triggers:then')}</Text>
        <Switch
          label={t('triggers:field.notify')}
          {...fields.getInputProps(`${path}.alarm_notify`, { type: 'checkbox' })}
        />
        {rule.alarm_notify ? (
          <Group grow align="flex-start">
            <Select
              label={t('triggers:field.alarmType')}
              data={types}
              allowDeselect={false}
              searchable
              {...fields.getInputProps(`${path}.alarm_type`)}
            />
            <NumberField
              label={t('triggers:field.again')}
              description={t('triggers:field.againText')}
              min={0}
              max={LONGEST_MIN}
              suffix=" min"
              {...fields.getInputProps(`${path}.again_min`)}
            />
          </Group>
        ) : null}
        {rule.alarm_notify ? (
          <Switch
            label={t('triggers:field.latched')}
            description={t('triggers:field.latchedText')}
            data-testid={`${path}-latched`}
            {...fields.getInputProps(`${path}.latched`, { type: 'checkbox' })}
          />
        ) : null}
        {rule.alarm_notify && (mayNotify || rule.groups.length > 0) ? (
          <AsyncMultiPicker
            label={t('triggers:field.groups')}
            description={t('triggers:field.groupsText')}
            placeholder={t('triggers:allGroups')}
            value={rule.groups}
            onChange={(chosen) => fields.setFieldValue(`${path}.groups`, chosen)}
            load={findGroups}
            queryKey={['contactGroup', 'pick']}
            max={MAX_GROUPS}
            testId={`${path}-groups`}
          />
        ) : null}
        {rule.linkage.map((linkage, place) => (
          <LinkageFields
            key={linkage.key}
            form={form}
            path={`${path}.linkage.${place}`}
            linkage={linkage}
            onRemove={() => fields.removeListItem(`${path}.linkage`, place)}
          />
        ))}
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} stroke={1.6} />}
            disabled={rule.linkage.length >= MAX_LINKAGES}
            onClick={() => fields.insertListItem(`${path}.linkage`, newLinkage(rule.conditions.at(0)?.device ?? null))}
          >
            {t('triggers:addLinkage')}
          </Button>
          {onRemove === undefined ? null : (
            <Button variant="subtle" color="red" size="xs" onClick={onRemove} data-testid={`${path}-remove`}>
              {t('triggers:removeRule')}
            </Button>
          )}
        </Group>
        <Group justify="space-between">
          <Text fw={600}>{t('triggers:period.title')}</Text>
          <SegmentedControl
            aria-label={t('triggers:period.title')}
            data={PERIODS.map((value) => ({ value, label: t(`triggers:period.${value}`) }))}
            value={days}
            onChange={setDays}
            data-testid={`${path}-period`}
          />
        </Group>
        <Preview form={form} path={path} rule={rule} spanMs={Number(days) * DAY_MS} />
        <Backtest form={form} rule={rule} spanMs={Number(days) * DAY_MS} />
      </Stack>
    </Fieldset>
  );
}
