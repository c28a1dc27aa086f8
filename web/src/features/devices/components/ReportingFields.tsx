import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { IntervalInput } from '@/components/form/IntervalInput';
import { NumberField } from '@/components/form/NumberField';
import { PresetTimeSelect } from '@/components/form/PresetTimeSelect';
import type { ApiForm } from '@/components/form/useApiForm';
import { ScreenLink } from '@/components/ScreenLink';
import { draftRowsQuery } from '../api';
import classes from '../devices.module.css';
import { LIMITS, reachOf } from '../draft';
import type { GatewayNumber } from '../draft';
import { HINT_BELOW } from './BasicFields';

type Values = Record<GatewayNumber, number | string>;

interface Props<D extends Values> {
  form: ApiForm<D>;
  prefix: string;
  placeholder: string;
  /** Of one gateway that is there. */
  deviceId?: number | null;
}

/** Fields of the gateway's configuration. prefix: of the test ids; placeholder: while a field is empty. */
export function ReportingNumbers<D extends Values>({
  form,
  prefix,
  placeholder,
  deviceId = null,
}: Props<D>): ReactElement {
  const { t } = useTranslation();
  const fields = form.fields as unknown as ApiForm<Values>['fields'];
  const values = fields.getValues();
  const [min, max] = LIMITS.report_interval_s;
  const interval = (name: 'collect_interval_s' | 'report_interval_s', units: 'mhd' | 'smhd'): ReactElement => (
    <IntervalInput
      label={t(`devices:field.${name}`)}
      description={t(`devices:hint.${name}`)}
      inputWrapperOrder={HINT_BELOW}
      placeholder={placeholder}
      min={LIMITS[name][0]}
      max={LIMITS[name][1]}
      units={units}
      value={values[name]}
      error={fields.errors[name]}
      onChange={(seconds) => fields.setFieldValue(name, seconds)}
      data-testid={`${prefix}-${name}`}
    />
  );
  return (
    <>
      <div>
        {interval('collect_interval_s', 'smhd')}
        {deviceId === null ? null : <CollectReach deviceId={deviceId} />}
      </div>
      <div className={classes.interval}>
        {interval('report_interval_s', 'smhd')}
        <PresetTimeSelect
          label={t('devices:reporting.preset')}
          min={min}
          max={max}
          value={Number(values.report_interval_s) || null}
          onChange={(seconds) => fields.setFieldValue('report_interval_s', seconds)}
          data-testid={`${prefix}-report-preset`}
        />
      </div>
      <NumberField
        label={t('devices:field.slave_timeout_ms')}
        description={t('devices:hint.slave_timeout_ms')}
        inputWrapperOrder={HINT_BELOW}
        placeholder={placeholder}
        min={LIMITS.slave_timeout_ms[0]}
        max={LIMITS.slave_timeout_ms[1]}
        allowDecimal={false}
        hideControls
        data-testid={`${prefix}-slave_timeout_ms`}
        {...fields.getInputProps('slave_timeout_ms')}
      />
    </>
  );
}

/** On how many ports the collection interval acts: those of the draft, else of what runs, without a cycle of their own. */
function CollectReach({ deviceId }: { deviceId: number }): ReactElement | null {
  const { t } = useTranslation();
  const { data: rows } = useQuery(draftRowsQuery(deviceId));
  const { ports, reached } = reachOf(rows);
  if (ports === 0) return null;
  const say = reached === 0 ? 'none' : reached === ports ? 'all' : 'some';
  const said = t(`devices:reporting.reach.${say}`, { reached, ports });
  return (
    <div data-testid="device-collect-reach" data-reached={reached}>
      {say === 'none' ? (
        <Alert color="yellow" mt={4} p="xs">
          {said}
        </Alert>
      ) : (
        <Text size="xs" mt={4} c="dimmed">
          {said}
        </Text>
      )}
    </div>
  );
}

/** That these fields act once the draft is deployed, and which of them wait for that. */
export function ReportingNote({
  deviceId,
  pending,
}: {
  deviceId: number | null;
  pending: readonly string[];
}): ReactElement {
  const { t } = useTranslation();
  const isPending = deviceId !== null && pending.length > 0;
  const names = pending.map((name) => t(`devices:field.${name}`)).join(t('devices:reporting.comma'));
  return (
    <Alert color={isPending ? 'yellow' : 'gray'} className={classes.wide} data-testid="device-settings-note">
      {isPending ? t('devices:reporting.pending', { names }) : t('devices:reporting.note')}{' '}
      {isPending ? (
        <ScreenLink path="/deviceDetail/index" search={{ device_id: deviceId, tab: 'configuration' }}>
          {t('devices:reporting.deploy')}
        </ScreenLink>
      ) : null}
    </Alert>
  );
}
