import { Alert, Button, Group, PasswordInput, Radio, Select, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { MapBase } from '@/api/generated/types.gen';
import { NumberField } from '@/components/form/NumberField';
import { useApiForm } from '@/components/form/useApiForm';
import type { ApiForm } from '@/components/form/useApiForm';
import { DATUMS } from '@/blocks/map/datum';
import { mapBaseQuery } from '@/blocks/map/mapOptions';
import { showSuccess } from '@/components/notices';
import { mapFilesQuery, putMapBase } from '../api';
import { draftOf, isTileUrl, KINDS, originsOf, PRESETS, REFUSED, trimmed } from '../mapBase';
import type { MapBaseDraft } from '../mapBase';
import classes from '../platform.module.css';
import { useMaySet } from './useMaySet';

/** Land only, a file of the data folder, or tiles of a service. */
export function MapBaseForm({ base }: { base: MapBase }): ReactElement {
  const { t } = useTranslation();
  const may = useMaySet();
  const cache = useQueryClient();
  const [asksReload, setAsksReload] = useState(false);
  const form = useApiForm<MapBaseDraft>({
    values: draftOf(base),
    validate: {
      file: (file, { kind }) => (kind === 'pmtiles' && file === '' ? t('platform:map.rule.file') : null),
      url: (url, { kind }) => (kind === 'xyz' && !isTileUrl(url) ? t('platform:map.rule.url') : null),
      label_url: (url, { kind }) =>
        kind === 'xyz' && url.trim() !== '' && !isTileUrl(url) ? t('platform:map.rule.url') : null,
      key: (key, { kind, url, label_url }) =>
        kind === 'xyz' && `${url}${label_url}`.includes('{key}') && key.trim() === ''
          ? t('platform:map.rule.key')
          : null,
    },
    save: (draft) => putMapBase(trimmed(draft)),
    names: REFUSED,
    onSaved: (_done, draft) => {
      const cleaned = trimmed(draft);
      form.fields.resetDirty(draft);
      const added = originsOf(cleaned);
      setAsksReload(added !== '' && added !== originsOf(draftOf(base)));
      cache.setQueryData(mapBaseQuery.queryKey, cleaned);
      showSuccess(t('base:form.done.edit'));
    },
  });
  const { fields } = form;
  const { kind } = fields.getValues();
  return (
    <form onSubmit={form.submit} noValidate className={classes.fields} data-testid="map-base-form">
      <Radio.Group label={t('platform:map.kind')} {...fields.getInputProps('kind')}>
        {KINDS.map((one) => (
          <Radio
            key={one}
            value={one}
            mt={8}
            label={t(`platform:map.${one}.name`)}
            description={t(`platform:map.${one}.about`)}
            disabled={!may}
            data-testid={`map-kind-${one}`}
          />
        ))}
      </Radio.Group>
      {kind === 'pmtiles' ? <FileField form={form} may={may} /> : null}
      {kind === 'xyz' ? <ServiceFields form={form} may={may} /> : null}
      {kind === 'builtin' ? null : <SharedFields form={form} may={may} />}
      <div role="alert">
        {form.failure === '' ? null : (
          <Text size="sm" c="red">
            {form.failure}
          </Text>
        )}
      </div>
      {asksReload ? (
        <Alert variant="light" data-testid="map-reload">
          <p className={classes.lead}>{t('platform:map.reload')}</p>
          <Button size="compact-sm" variant="default" onClick={() => window.location.reload()}>
            {t('platform:map.reloadNow')}
          </Button>
        </Alert>
      ) : null}
      <Group>
        <Button type="submit" loading={form.isSaving} disabled={!may || !fields.isDirty()} data-testid="map-base-save">
          {t('base:form.save')}
        </Button>
      </Group>
    </form>
  );
}

interface Part {
  form: ApiForm<MapBaseDraft>;
  may: boolean;
}

function FileField({ form: { fields }, may }: Part): ReactElement {
  const { t } = useTranslation();
  const { data: files } = useQuery({ ...mapFilesQuery, enabled: may });
  const known = new Set(
    [...(files ?? []).map(({ name }) => name), fields.getValues().file].filter((name) => name !== ''),
  );
  return (
    <Select
      label={t('platform:map.file')}
      description={t('platform:map.fileHint')}
      placeholder={files?.length === 0 ? t('platform:map.noFiles') : t('platform:map.choose')}
      data={[...known]}
      disabled={!may}
      allowDeselect={false}
      data-testid="map-file"
      {...fields.getInputProps('file')}
      value={fields.getValues().file || null}
    />
  );
}

function ServiceFields({ form: { fields }, may }: Part): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <Group gap={8}>
        <Text size="sm">{t('platform:map.presets')}</Text>
        {(Object.keys(PRESETS) as (keyof typeof PRESETS)[]).map((name) => (
          <Button
            key={name}
            size="compact-sm"
            variant="default"
            disabled={!may}
            onClick={() => fields.setValues(PRESETS[name])}
          >
            {t(`platform:map.preset.${name}`)}
          </Button>
        ))}
      </Group>
      {(['url', 'label_url'] as const).map((name) => (
        <TextInput
          key={name}
          label={t(`platform:map.${name}`)}
          description={t(`platform:map.${name}Hint`)}
          placeholder="https://tiles.example.com/{z}/{x}/{y}.png"
          inputMode="url"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={500}
          disabled={!may}
          data-testid={`map-${name}`}
          {...fields.getInputProps(name)}
        />
      ))}
      <PasswordInput
        label={t('platform:map.key')}
        description={t('platform:map.keyHint')}
        autoComplete="off"
        maxLength={200}
        disabled={!may}
        visibilityToggleButtonProps={{ 'aria-label': t('platform:map.showKey') }}
        data-testid="map-key"
        {...fields.getInputProps('key')}
      />
      <NumberField
        label={t('platform:map.max_zoom')}
        description={t('platform:map.max_zoomHint')}
        min={1}
        max={22}
        allowDecimal={false}
        disabled={!may}
        {...fields.getInputProps('max_zoom')}
      />
    </>
  );
}

function SharedFields({ form: { fields }, may }: Part): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <Select
        label={t('base:map.datum')}
        description={t('platform:map.datumHint')}
        data={DATUMS.map((one) => ({ value: one, label: t(`base:map.crs.${one}`) }))}
        allowDeselect={false}
        disabled={!may}
        data-testid="map-datum"
        {...fields.getInputProps('datum')}
      />
      <TextInput
        label={t('platform:map.credit')}
        description={t('platform:map.creditHint')}
        maxLength={100}
        disabled={!may}
        {...fields.getInputProps('credit')}
      />
    </>
  );
}
