import { Button, PasswordInput, SegmentedControl, Skeleton, Switch } from '@mantine/core';
import { DateInput } from '@mantine/dates';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '@/components/form/NumberField';
import type { ApiForm } from '@/components/form/useApiForm';
import classes from '../devices.module.css';
import { LIMITS } from '../draft';
import type { Draft, NumberName, SwitchName } from '../draft';
import { BasicFields, HINT_BELOW, Text } from './BasicFields';
import { ReportingNote, ReportingNumbers } from './ReportingFields';

/** The map is large: it comes when a place is chosen. */
const LocationPicker = lazy(() =>
  import('@/blocks/map/LocationPicker').then((part) => ({ default: part.LocationPicker })),
);

interface Props {
  form: ApiForm<Draft>;
}

const NOTHING: readonly string[] = [];

interface FormOf {
  isNew: boolean;
  canLocate: boolean;
  /** Of a gateway that is there; pending: its settings that are in the draft and not deployed. */
  deviceId?: number | null;
  pending?: readonly string[];
}

/** Every field of a gateway in five groups. isNew: the serial number is still to be given. */
export function DeviceFields({
  form,
  isNew,
  canLocate,
  deviceId = null,
  pending = NOTHING,
}: Props & FormOf): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <Group title={t('devices:group.basic')}>
        <BasicFields form={form} isNew={isNew} />
      </Group>
      <Group title={t('devices:group.place')}>
        <PlaceFields form={form} canLocate={canLocate} />
      </Group>
      <Group title={t('devices:group.network')}>
        <NetworkFields form={form} />
      </Group>
      <Group title={t('devices:group.reporting')}>
        <div className={classes.pairs}>
          <ReportingNumbers
            form={form}
            prefix="device"
            placeholder={t('devices:reporting.default')}
            deviceId={deviceId}
          />
          <Toggle form={form} name="low_power" hint />
          <ReportingNote deviceId={deviceId} pending={pending} />
        </div>
      </Group>
      <Group title={t('devices:group.settings')}>
        <SettingFields form={form} />
      </Group>
    </>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }): ReactElement {
  return (
    <fieldset className={classes.group}>
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

/** canLocate: whether the gateway has a location point. */
function PlaceFields({ form, canLocate }: Props & { canLocate: boolean }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { place, auto_position } = fields.getValues();
  const [open, setOpen] = useState(false);
  const where =
    place === null ? t('devices:place.none') : `${place.longitude.toFixed(6)}, ${place.latitude.toFixed(6)}`;
  return (
    <div className={classes.pairs}>
      {(['device_province', 'device_city', 'device_district', 'device_address', 'device_floorroom'] as const).map(
        (name) => (
          <Text key={name} form={form} name={name} />
        ),
      )}
      <div>
        <div className={classes.label}>{t('devices:field.auto_position')}</div>
        <SegmentedControl
          data={['manual', 'auto'].map((value) => ({
            value,
            label: t(`devices:position.${value}`),
            disabled: value === 'auto' && !canLocate,
          }))}
          value={auto_position ? 'auto' : 'manual'}
          onChange={(value) => fields.setFieldValue('auto_position', value === 'auto')}
          aria-label={t('devices:field.auto_position')}
          data-testid="device-positioning"
        />
        {canLocate ? null : (
          <p className={classes.hint}>{t(auto_position ? 'devices:position.lost' : 'devices:position.noPoint')}</p>
        )}
      </div>
      <div className={classes.wide}>
        <div className={classes.label}>{t('devices:field.place')}</div>
        {open ? (
          <Suspense fallback={<Skeleton h={300} />}>
            <LocationPicker
              value={place}
              onChange={(next) => fields.setFieldValue('place', next)}
              disabled={auto_position}
              error={fields.errors.place === undefined ? null : String(fields.errors.place)}
            />
          </Suspense>
        ) : (
          <span className={classes.line}>
            <span className="number">{where}</span>
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => setOpen(true)}
              disabled={auto_position}
              data-testid="device-place"
            >
              {t('devices:place.choose')}
            </Button>
            {fields.errors.place === undefined ? null : <span role="alert">{fields.errors.place}</span>}
          </span>
        )}
      </div>
      <Toggle form={form} name="gis_show" />
    </div>
  );
}

function NetworkFields({ form }: Props): ReactElement {
  return (
    <div className={classes.pairs}>
      <Text form={form} name="imei" />
      <Text form={form} name="iccid" />
      <Count form={form} name="device_mst" hint />
    </div>
  );
}

function SettingFields({ form }: Props): ReactElement {
  const { t, i18n } = useTranslation();
  const { fields } = form;
  return (
    <div className={classes.pairs}>
      <Toggle form={form} name="offline_notify" />
      <Toggle form={form} name="offline_clear_data" />
      <Count form={form} name="offline_alarm_delay_s" hint />
      <DateInput
        label={t('devices:field.expire')}
        description={t('devices:hint.expire')}
        inputWrapperOrder={HINT_BELOW}
        valueFormat="YYYY-MM-DD"
        locale={i18n.language === 'zh' ? 'zh-cn' : 'en'}
        clearable
        clearButtonProps={{ 'aria-label': t('base:table.clear') }}
        data-testid="device-expire"
        {...fields.getInputProps('expire')}
      />
      <Toggle form={form} name="scan_bind" />
      <PasswordInput
        label={t('devices:field.access_password')}
        description={t('devices:hint.access_password')}
        inputWrapperOrder={HINT_BELOW}
        maxLength={200}
        autoComplete="new-password"
        {...fields.getInputProps('access_password')}
      />
    </div>
  );
}

function Count({ form, name, hint = false }: Props & { name: NumberName; hint?: boolean }): ReactElement {
  const { t } = useTranslation();
  const [min, max] = LIMITS[name];
  return (
    <NumberField
      label={t(`devices:field.${name}`)}
      description={hint ? t(`devices:hint.${name}`) : undefined}
      inputWrapperOrder={HINT_BELOW}
      min={min}
      max={max}
      allowDecimal={false}
      hideControls
      data-testid={`device-${name}`}
      {...form.fields.getInputProps(name)}
    />
  );
}

function Toggle({ form, name, hint = false }: Props & { name: SwitchName; hint?: boolean }): ReactElement {
  const { t } = useTranslation();
  return (
    <Switch
      className={classes.toggle}
      label={t(`devices:field.${name}`)}
      description={hint ? t(`devices:hint.${name}`) : undefined}
      data-testid={`device-${name}`}
      {...form.fields.getInputProps(name, { type: 'checkbox' })}
    />
  );
}
