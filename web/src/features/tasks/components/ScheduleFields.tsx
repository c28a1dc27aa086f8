import { Chip, Group, SegmentedControl, Select, TagsInput, Text, TextInput } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { AsyncPicker } from '@/components/AsyncPicker';
import { NumberField } from '@/components/form/NumberField';
import { PresetTimeSelect } from '@/components/form/PresetTimeSelect';
import type { ApiForm } from '@/components/form/useApiForm';
import { CALENDARS, findCalendars, KINDS } from '../api';
import { countsDays } from '../draft';
import type { Draft } from '../draft';

const MINUTE_S = 60;
const LONGEST_MIN = 90 * 1440;
const LATEST_MIN = 1440;
const MAX_TIMES = 48;
const ZONES = [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])];

/** When a task runs: once, again after an interval, or at times of the day. */
export function ScheduleFields({ form }: { form: ApiForm<Draft> }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const draft = fields.getValues();
  const { kind, calendar, zone } = draft;
  return (
    <>
      <SegmentedControl
        aria-label={t('tasks:field.kind')}
        data={KINDS.map((value) => ({ value, label: t(`tasks:kind.${value}`) }))}
        data-testid="task-kind"
        {...fields.getInputProps('kind')}
      />
      {kind === 'once' ? <Once form={form} /> : null}
      {kind === 'daily' ? (
        <TagsInput
          label={t('tasks:field.times')}
          description={t('tasks:field.timesText')}
          placeholder="08:00"
          maxTags={MAX_TIMES}
          splitChars={[',', ' ', ';', '\uff0c']}
          acceptValueOnBlur
          required
          data-testid="task-times"
          {...fields.getInputProps('times')}
        />
      ) : null}
      {kind === 'cyclic' ? <Cycle form={form} /> : null}
      {kind === 'once' ? null : (
        <>
          <div role="group" aria-label={t('tasks:field.weekdays')}>
            <Text size="sm" fw={500} mb={4}>
              {t('tasks:field.weekdays')}
            </Text>
            <Chip.Group multiple {...fields.getInputProps('weekdays')}>
              <Group gap={4}>
                {['1', '2', '3', '4', '5', '6', '7'].map((day) => (
                  <Chip key={day} value={day} size="xs" data-testid={`weekday-${day}`}>
                    {t(`tasks:weekday.${day}`)}
                  </Chip>
                ))}
              </Group>
            </Chip.Group>
            <Text size="xs" c="dimmed" mt={4}>
              {t('tasks:field.weekdaysText')}
            </Text>
          </div>
          <Group grow align="flex-start">
            <TextInput
              type="date"
              label={t('tasks:field.begin')}
              required={countsDays(draft)}
              {...fields.getInputProps('begin')}
            />
            <TextInput type="date" label={t('tasks:field.end')} {...fields.getInputProps('end')} />
          </Group>
          <AsyncPicker
            label={t('tasks:field.calendar')}
            description={t('tasks:field.calendarText')}
            value={calendar}
            onChange={(chosen) => fields.setFieldValue('calendar', chosen)}
            load={findCalendars}
            queryKey={[...CALENDARS, 'pick']}
            empty={t('tasks:noCalendars')}
            clearable
            error={fields.errors.calendar as ReactNode}
            testId="task-calendar"
          />
        </>
      )}
      <Select
        label={t('tasks:field.zone')}
        data={ZONES.includes(zone) ? ZONES : [zone, ...ZONES]}
        searchable
        required
        limit={50}
        data-testid="task-zone"
        {...fields.getInputProps('zone')}
        onChange={(chosen) => fields.setFieldValue('zone', chosen ?? '')}
      />
      <NumberField
        label={t('tasks:field.late')}
        description={t('tasks:field.lateText')}
        min={0}
        max={LATEST_MIN}
        allowDecimal={false}
        suffix=" min"
        {...fields.getInputProps('late_min')}
      />
    </>
  );
}

function Once({ form: { fields } }: { form: ApiForm<Draft> }): ReactElement {
  const { t } = useTranslation();
  const [time = ''] = fields.getValues().times;
  return (
    <Group grow align="flex-start">
      <TextInput
        type="date"
        label={t('tasks:field.day')}
        required
        data-testid="task-day"
        {...fields.getInputProps('begin')}
      />
      <TextInput
        type="time"
        label={t('tasks:field.time')}
        required
        value={time}
        onChange={(event) => fields.setFieldValue('times', [event.currentTarget.value])}
        error={fields.errors.times}
        data-testid="task-time"
      />
    </Group>
  );
}

function Cycle({ form: { fields } }: { form: ApiForm<Draft> }): ReactElement {
  const { t } = useTranslation();
  const draft = fields.getValues();
  const { interval_min } = draft;
  return (
    <>
      <Group grow align="flex-start">
        <PresetTimeSelect
          label={t('tasks:field.preset')}
          value={interval_min === '' ? null : Number(interval_min) * MINUTE_S}
          onChange={(seconds) => fields.setFieldValue('interval_min', seconds / MINUTE_S)}
          min={MINUTE_S}
          max={LONGEST_MIN * MINUTE_S}
        />
        <NumberField
          label={t('tasks:field.interval')}
          min={1}
          max={LONGEST_MIN}
          allowDecimal={false}
          suffix=" min"
          required
          data-testid="task-interval"
          {...fields.getInputProps('interval_min')}
        />
      </Group>
      <Group grow align="flex-start">
        <TextInput
          type="time"
          label={t(countsDays(draft) ? 'tasks:field.time' : 'tasks:field.windowBegin')}
          required
          {...fields.getInputProps('window_begin')}
        />
        {countsDays(draft) ? null : (
          <TextInput
            type="time"
            label={t('tasks:field.windowEnd')}
            description={t('tasks:field.windowEndText')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            required
            {...fields.getInputProps('window_end')}
          />
        )}
      </Group>
    </>
  );
}
