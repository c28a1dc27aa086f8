import { Alert, Select, TextInput } from '@mantine/core';
import { DateInput } from '@mantine/dates';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { NumberField } from '@/components/form/NumberField';
import { useApiForm } from '@/components/form/useApiForm';
import type { ApiForm } from '@/components/form/useApiForm';
import { branded, useGatewayBrand } from '@/blocks/devices/useGatewayBrand';
import { AsyncPicker } from '@/components/AsyncPicker';
import {
  changeDevices,
  findProducts,
  findProjects,
  GATEWAY_TYPES,
  PROTOCOLS,
  putBackDevices,
  renewDevices,
} from '../api';
import type { BatchRow } from '../api';
import { BATCH_TEXTS, batchBody, KEEP_ALL } from '../batch';
import type { BatchDraft } from '../batch';
import classes from '../devices.module.css';
import { beyondLimits, CLOUD_NUMBERS, DRAFT_NAMES, LIMITS, SWITCHES } from '../draft';
import { BatchResult } from './BatchResult';
import { ReportingNote, ReportingNumbers } from './ReportingFields';

const WIDE = 720;

/** The same change of several gateways; what is left empty stays as each has it. */
export default function BatchDrawer({ ids, onClose }: { ids: readonly number[]; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [rows, setRows] = useState<readonly BatchRow[] | null>(null);
  const renew = (): void => {
    renewDevices(cache);
    void cache.invalidateQueries({ queryKey: ['device'] });
  };
  const form = useApiForm<BatchDraft, readonly BatchRow[]>({
    values: KEEP_ALL,
    validate: (draft) =>
      Object.fromEntries(
        beyondLimits(draft).map((name) => [
          name,
          t('devices:fault.range', { least: LIMITS[name][0], most: LIMITS[name][1] }),
        ]),
      ),
    names: DRAFT_NAMES,
    save: (draft) => changeDevices(ids, batchBody(draft)),
    onSaved: (answer) => {
      renew();
      setRows(answer);
    },
  });
  if (rows !== null) {
    const given = batchBody(form.fields.getValues());
    return <BatchResult rows={rows} putBack={() => putBackDevices(rows, given).finally(renew)} onClose={onClose} />;
  }
  return (
    <FormDrawer title={t('devices:batch.title', { count: ids.length })} form={form} onClose={onClose} size={WIDE}>
      <Alert color="gray">{t('devices:batch.hint')}</Alert>
      <Fields form={form} />
      <ReportingNote deviceId={null} pending={[]} />
    </FormDrawer>
  );
}

function Fields({ form }: { form: ApiForm<BatchDraft> }): ReactElement {
  const { fields } = form;
  const { t, i18n } = useTranslation();
  const keep = t('devices:batch.keep');
  const clear = { 'aria-label': t('base:table.clear') };
  const brand = useGatewayBrand();
  const { project, product } = fields.getValues();
  return (
    <div className={classes.pairs}>
      <AsyncPicker
        label={t('devices:field.project')}
        value={project}
        onChange={(choice) => fields.setFieldValue('project', choice)}
        load={findProjects}
        queryKey={['project', 'pick']}
        placeholder={keep}
        error={fields.errors.project}
        clearable
        testId="batch-project"
      />
      <AsyncPicker
        label={t('devices:field.product')}
        value={product}
        onChange={(choice) => fields.setFieldValue('product', choice)}
        load={findProducts}
        queryKey={['product', 'pick']}
        placeholder={keep}
        error={fields.errors.product}
        clearable
        testId="batch-product"
      />
      {(['gateway_type', 'protocol'] as const).map((name) => (
        <Select
          key={name}
          label={t(`devices:field.${name}`)}
          placeholder={keep}
          clearable
          clearButtonProps={clear}
          data-testid={`batch-${name}`}
          data={
            name === 'protocol'
              ? PROTOCOLS.map((value) => ({ value, label: t(`devices:protocol.${value}`) }))
              : GATEWAY_TYPES.map((value) => ({ value, label: branded(brand, t(`devices:gateway_type.${value}`)) }))
          }
          value={fields.getValues()[name] || null}
          onChange={(value) => fields.setFieldValue(name, value ?? '')}
        />
      ))}
      {BATCH_TEXTS.map((name) => (
        <TextInput
          key={name}
          label={t(`devices:field.${name}`)}
          placeholder={keep}
          data-autofocus={name === 'model' || undefined}
          data-testid={`batch-${name}`}
          {...fields.getInputProps(name)}
        />
      ))}
      {CLOUD_NUMBERS.map((name) => (
        <NumberField
          key={name}
          label={t(`devices:field.${name}`)}
          placeholder={keep}
          min={LIMITS[name][0]}
          max={LIMITS[name][1]}
          allowDecimal={false}
          hideControls
          data-testid={`batch-${name}`}
          {...fields.getInputProps(name)}
        />
      ))}
      <ReportingNumbers form={form} prefix="batch" placeholder={keep} />
      {SWITCHES.map((name) => (
        <Select
          key={name}
          label={t(name === 'auto_position' ? 'devices:batch.auto_position' : `devices:field.${name}`)}
          placeholder={keep}
          clearable
          clearButtonProps={clear}
          data-testid={`batch-${name}`}
          data={['on', 'off'].map((value) => ({ value, label: t(`devices:batch.${value}`) }))}
          value={fields.getValues()[name] || null}
          onChange={(value) => fields.setFieldValue(name, (value ?? '') as BatchDraft[typeof name])}
        />
      ))}
      <DateInput
        label={t('devices:field.expire')}
        placeholder={keep}
        valueFormat="YYYY-MM-DD"
        locale={i18n.language === 'zh' ? 'zh-cn' : 'en'}
        clearable
        clearButtonProps={clear}
        data-testid="batch-expire"
        {...fields.getInputProps('expire')}
      />
    </div>
  );
}
