import { Alert, Fieldset, SegmentedControl, Select, SimpleGrid, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IntervalInput } from '@/components/form/IntervalInput';
import { NumberField } from '@/components/form/NumberField';
import type { ApiForm } from '@/components/form/useApiForm';
import { ScreenLink } from '@/components/ScreenLink';
import { keysQuery } from '../api';
import type { PlanRow } from '../api';
import { isOverMidnight, LIMITS, SCOPE_ALL } from '../draft';
import type { Limited, PlanDraft } from '../draft';
import { FileField, RangeFields } from './TargetFields';
import { usePlanWords } from './usePlanWords';

interface Props {
  form: ApiForm<PlanDraft>;
  /** Of which the draft was made; null for a new one. */
  row: PlanRow | null;
  /** It was started: gateways, file and waves stay. */
  isFixed: boolean;
}

const SCOPES = ['1', '2', '3'] as const;
const ZONES = [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])];
const FIRST_ONLY = '1';

/** The inputs of a plan. */
export default function PlanFields({ form, row, isFixed }: Props): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { data: keys } = useQuery(keysQuery());
  return (
    <>
      {keys?.length === 0 ? (
        <Alert color="yellow" data-testid="plan-no-key">
          {t('firmware:noKey.text')}{' '}
          <ScreenLink path="/ota/firmware" search={{ tab: 'keys' }}>
            {t('firmware:noKey.go')}
          </ScreenLink>
        </Alert>
      ) : null}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberField
          label={t('firmware:field.name')}
          description={t('firmware:hint.name')}
          required
          allowDecimal={false}
          min={LIMITS.name[0]}
          max={LIMITS.name[1]}
          hideControls
          data-autofocus
          data-testid="plan-name"
          {...fields.getInputProps('name')}
        />
        <TextInput
          label={t('firmware:field.title')}
          description={t('firmware:hint.title')}
          maxLength={100}
          data-testid="plan-title"
          {...fields.getInputProps('title')}
        />
      </SimpleGrid>
      <Switch
        label={t('firmware:field.enabled')}
        description={t('firmware:hint.enabled')}
        {...fields.getInputProps('enabled', { type: 'checkbox' })}
      />
      {isFixed && row !== null ? (
        <Fixed row={row} />
      ) : (
        <>
          <Group title={t('firmware:group.range')}>
            <RangeFields form={form} row={row} />
          </Group>
          <Group title={t('firmware:group.file')}>
            <FileField form={form} />
          </Group>
          <Group title={t('firmware:group.scope')}>
            <ScopeFields form={form} />
          </Group>
        </>
      )}
      <RuleFields form={form} />
    </>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }): ReactElement {
  return (
    <Fieldset legend={title} p="sm">
      <div style={{ display: 'grid', gap: 'var(--mantine-spacing-sm)' }}>{children}</div>
    </Fieldset>
  );
}

/** What a plan that was started keeps. */
function Fixed({ row }: { row: PlanRow }): ReactElement {
  const { t } = useTranslation();
  const words = usePlanWords();
  const facts = [
    [t('firmware:field.range'), words.range(row)],
    [t('firmware:field.created_after_ms'), words.createdAfter(row)],
    [t('firmware:field.firmware_id'), words.file(row)],
    [t('firmware:field.scope'), words.scope(row)],
    [t('firmware:field.plan_control_count'), words.controlCount(row)],
  ] as const;
  return (
    <Alert color="steel" data-testid="plan-fixed">
      <Text size="sm">{t('firmware:hint.fixed')}</Text>
      {facts.map(([name, value]) => (
        <Text key={name} size="sm">
          {t('firmware:fact', { name, value })}
        </Text>
      ))}
    </Alert>
  );
}

/** At scope 3 the number of gateways is not applicable. */
function ScopeFields({ form: { fields } }: { form: ApiForm<PlanDraft> }): ReactElement {
  const { t } = useTranslation();
  const { scope } = fields.getValues();
  return (
    <>
      <Select
        label={t('firmware:field.scope')}
        description={t(`firmware:scopeText.${scope}`)}
        data={SCOPES.map((value) => ({ value, label: t(`firmware:scope.${value}`) }))}
        allowDeselect={false}
        data-testid="plan-scope"
        {...fields.getInputProps('scope')}
      />
      {scope === SCOPE_ALL ? (
        <TextInput
          label={t('firmware:field.plan_control_count')}
          value={t('firmware:notApplicable')}
          disabled
          data-testid="plan-count"
        />
      ) : (
        <Limit form={{ fields }} name="plan_control_count" testId="plan-count" required />
      )}
    </>
  );
}

function RuleFields({ form }: { form: ApiForm<PlanDraft> }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { scope, has_window } = fields.getValues();
  return (
    <>
      <Group title={t('firmware:group.waves')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          {scope === FIRST_ONLY ? null : (
            <>
              <Limit form={form} name="growth" />
              <Limit form={form} name="max_wave" />
            </>
          )}
          <Limit form={form} name="success_share" suffix=" %" testId="plan-success" />
          <Limit form={form} name="error_share" suffix=" %" testId="plan-errors" />
          <Limit form={form} name="at_once" />
          <div>
            <Text size="sm" fw={500} id="plan-on-error">
              {t('firmware:field.on_error')}
            </Text>
            <SegmentedControl
              aria-labelledby="plan-on-error"
              fullWidth
              data={(['pause', 'rollback'] as const).map((value) => ({ value, label: t(`firmware:onError.${value}`) }))}
              {...fields.getInputProps('on_error')}
            />
          </div>
        </SimpleGrid>
      </Group>
      <Group title={t('firmware:group.times')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <Interval form={form} name="watch_s" />
          <Interval form={form} name="offline_s" />
          <Interval form={form} name="expires_s" />
          <Interval form={form} name="confirm_s" />
        </SimpleGrid>
        <Switch
          label={t('firmware:field.has_window')}
          description={t('firmware:hint.has_window')}
          data-testid="plan-window"
          {...fields.getInputProps('has_window', { type: 'checkbox' })}
        />
        {has_window ? <WindowFields form={form} /> : null}
      </Group>
      <Group title={t('firmware:group.safety')}>
        {(['approval', 'allow_older'] as const).map((name) => (
          <Switch
            key={name}
            label={t(`firmware:field.${name}`)}
            description={t(`firmware:hint.${name}`)}
            data-testid={`plan-${name}`}
            {...fields.getInputProps(name, { type: 'checkbox' })}
          />
        ))}
      </Group>
    </>
  );
}

function WindowFields({ form: { fields } }: { form: ApiForm<PlanDraft> }): ReactElement {
  const { t } = useTranslation();
  const draft = fields.getValues();
  const { zone } = draft;
  return (
    <>
      <SimpleGrid cols={2} spacing="sm">
        <TextInput
          type="time"
          label={t('firmware:field.window_begin')}
          required
          data-testid="plan-window-begin"
          {...fields.getInputProps('window_begin')}
        />
        <TextInput
          type="time"
          label={t('firmware:field.window_end')}
          required
          data-testid="plan-window-end"
          {...fields.getInputProps('window_end')}
        />
      </SimpleGrid>
      {isOverMidnight(draft) ? (
        <Text size="xs" c="dimmed" data-testid="plan-over-midnight">
          {t('firmware:hint.overMidnight', { begin: draft.window_begin, end: draft.window_end })}
        </Text>
      ) : null}
      <Select
        label={t('firmware:field.zone')}
        placeholder={t('firmware:installationZone')}
        data={zone === '' || ZONES.includes(zone) ? ZONES : [zone, ...ZONES]}
        searchable
        clearable
        limit={50}
        data-testid="plan-zone"
        {...fields.getInputProps('zone')}
        value={zone === '' ? null : zone}
        onChange={(chosen) => fields.setFieldValue('zone', chosen ?? '')}
      />
    </>
  );
}

interface OfForm {
  form: Pick<ApiForm<PlanDraft>, 'fields'>;
}

function Limit({
  form: { fields },
  name,
  suffix,
  required = true,
  testId,
}: OfForm & { name: Limited; suffix?: string; required?: boolean; testId?: string }): ReactElement {
  const { t } = useTranslation();
  const [min, max] = LIMITS[name];
  return (
    <NumberField
      label={t(`firmware:field.${name}`)}
      description={t(`firmware:hint.${name}`)}
      min={min}
      max={max}
      suffix={suffix}
      required={required}
      data-testid={testId}
      {...fields.getInputProps(name)}
    />
  );
}

function Interval({
  form: { fields },
  name,
}: OfForm & { name: 'watch_s' | 'offline_s' | 'expires_s' | 'confirm_s' }): ReactElement {
  const { t } = useTranslation();
  const [min, max] = LIMITS[name];
  const { value, onChange, ...input } = fields.getInputProps(name) as {
    value: number | string;
    onChange: (seconds: number | '') => void;
  };
  return (
    <IntervalInput
      label={t(`firmware:field.${name}`)}
      description={t(`firmware:hint.${name}`)}
      units="smhd"
      min={min}
      max={max}
      value={name === 'watch_s' && value === 0 ? '' : value}
      onChange={onChange}
      data-testid={`plan-${name}`}
      {...input}
    />
  );
}
