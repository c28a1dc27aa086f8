import { Button, Group, SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import type { ContactRow } from '../api';
import type { ContactDraft } from '../draft';
import { useContactTests } from './useTests';

interface Props {
  form: ApiForm<ContactDraft>;
  /** As it is saved; null for a new one. */
  row: ContactRow | null;
}

/** The inputs of a contact. */
export default function ContactFields({ form, row }: Props): ReactElement {
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
      <HowOften />
      {row === null ? null : <SendTest row={row} isChanged={fields.isDirty()} />}
    </>
  );
}

/** How messages are folded: who waits for one must not think that it is lost. */
function HowOften(): ReactElement {
  const { t } = useTranslation();
  return (
    <Text size="sm" c="dimmed" data-testid="how-often">
      {t('contacts:howOften')}
    </Text>
  );
}

function SendTest({ row, isChanged }: { row: ContactRow; isChanged: boolean }): ReactElement {
  const { t } = useTranslation();
  const { begin, dialog } = useContactTests();
  return (
    <Group gap="xs">
      <Button variant="default" size="xs" disabled={isChanged} onClick={() => begin(row)} data-testid="form-test">
        {t('contacts:test.do')}
      </Button>
      {isChanged ? (
        <Text size="sm" c="dimmed">
          {t('contacts:test.saveFirst')}
        </Text>
      ) : null}
      {dialog}
    </Group>
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
