import { SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import type { ContactDraft } from '../draft';

/** The inputs of a contact. */
export default function ContactFields({ form }: { form: ApiForm<ContactDraft> }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  return (
    <>
      <TextInput
        label={t('contacts:field.name')}
        required
        maxLength={100}
        data-autofocus
        data-testid="contact-name"
        {...fields.getInputProps('name')}
      />
      <TextInput
        label={t('contacts:field.phone')}
        description={t('contacts:field.phoneText')}
        type="tel"
        maxLength={40}
        data-testid="contact-phone"
        {...fields.getInputProps('phone')}
      />
      <TextInput
        label={t('contacts:field.email')}
        type="email"
        maxLength={200}
        data-testid="contact-email"
        {...fields.getInputProps('email')}
      />
      <TextInput
        label={t('contacts:field.wechat')}
        description={t('contacts:field.wechatText')}
        maxLength={64}
        {...fields.getInputProps('wechat')}
      />
      <LanguageField
        value={fields.getValues().language}
        onChange={(value) => fields.setFieldValue('language', value)}
      />
      <Switch label={t('contacts:field.enabled')} {...fields.getInputProps('enabled', { type: 'checkbox' })} />
    </>
  );
}

/** In which language messages are written. */
export function LanguageField({ value, onChange }: { value: string; onChange: (value: string) => void }): ReactElement {
  const { t } = useTranslation();
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {t('contacts:field.language')}
      </Text>
      <SegmentedControl
        aria-label={t('contacts:field.language')}
        data={['zh', 'en'].map((language) => ({ value: language, label: t(`base:language.${language}`) }))}
        value={value}
        onChange={onChange}
      />
    </Stack>
  );
}
