import { Switch, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { useApiForm } from '@/components/form/useApiForm';
import { showSuccess } from '@/components/notices';
import { UploadField } from '@/components/UploadField';
import { putCustomize, uploadPicture } from '../api';
import { hostOf, MAX_CAROUSEL } from '../looks';
import type { LooksDraft } from '../looks';
import classes from '../platform.module.css';
import { SignInPreview } from './SignInPreview';

const WIDTH_PX = 1080;

interface Props {
  draft: LooksDraft;
  /** An entry that is there keeps its host name. */
  isNew: boolean;
  queryKey: readonly unknown[];
  onClose: () => void;
}

/** The looks of one host name beside what they make of the sign-in page. */
export function LooksForm({ draft, isNew, queryKey, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const form = useApiForm<LooksDraft>({
    values: draft,
    validate: { domain: (domain) => (hostOf(domain) === null ? t('platform:customize.rule') : null) },
    save: ({ domain, ...looks }) => putCustomize(hostOf(domain) ?? domain, looks),
    onSaved: () => {
      void cache.invalidateQueries({ queryKey });
      onClose();
      showSuccess(t('base:form.done.edit'));
    },
  });
  const { fields } = form;
  const values = fields.getValues();
  const picture = (name: 'logo' | 'background') => ({
    kind: name,
    label: t(`platform:customize.${name}`),
    value: values[name] === '' ? [] : [values[name]],
    onChange: (urls: readonly string[]) => fields.setFieldValue(name, urls[0] ?? ''),
    upload: (file: File) => uploadPicture(name, file),
    error: fields.errors[name],
  });
  return (
    <FormDrawer
      title={isNew ? t('platform:customize.add') : t('platform:customize.edit', { domain: draft.domain })}
      form={form}
      onClose={onClose}
      size={WIDTH_PX}
      proposed={isNew}
    >
      <div className={classes.beside}>
        <div className={classes.fields}>
          <TextInput
            label={t('platform:customize.domain')}
            description={t('platform:customize.domainHint')}
            disabled={!isNew}
            required
            autoCapitalize="none"
            spellCheck={false}
            data-autofocus={isNew || undefined}
            data-testid="looks-domain"
            {...fields.getInputProps('domain')}
          />
          <TextInput
            label={t('platform:customize.title')}
            maxLength={100}
            data-testid="looks-title"
            {...fields.getInputProps('platform_title')}
          />
          <TextInput
            label={t('platform:customize.browserTitle')}
            description={t('platform:customize.browserTitleHint')}
            maxLength={100}
            {...fields.getInputProps('browser_title')}
          />
          <TextInput
            label={t('platform:customize.tkloc')}
            description={t('platform:customize.tklocHint')}
            maxLength={200}
            {...fields.getInputProps('tkloc')}
          />
          <TextInput label={t('platform:customize.icp')} maxLength={100} {...fields.getInputProps('icp')} />
          <Switch
            label={t('platform:customize.offerDemo')}
            description={t('platform:customize.offerDemoHint')}
            {...fields.getInputProps('demo', { type: 'checkbox' })}
          />
          <UploadField {...picture('logo')} />
          <UploadField {...picture('background')} />
          <UploadField
            kind="carousel"
            label={t('platform:customize.carousel')}
            value={values.carousel}
            onChange={(urls) => fields.setFieldValue('carousel', [...new Set(urls)])}
            upload={(file) => uploadPicture('carousel', file)}
            max={MAX_CAROUSEL}
            error={fields.errors.carousel}
          />
        </div>
        <SignInPreview draft={values} />
      </div>
    </FormDrawer>
  );
}
