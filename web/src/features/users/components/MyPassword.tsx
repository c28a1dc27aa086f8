import { PasswordInput, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormFoot } from '@/components/form/FormFoot';
import { useApiForm } from '@/components/form/useApiForm';
import { showSuccess } from '@/components/notices';
import { changeOwnPassword } from '../api';
import type { Profile } from '../api';
import classes from '../users.module.css';
import { NewPassword } from './NewPassword';
import { useFaults } from './useFaults';

type Draft = { old: string; new: string; again: string };
const EMPTY: Draft = { old: '', new: '', again: '' };

export function MyPassword({ profile }: { profile: Profile }): ReactElement {
  const { t } = useTranslation();
  const faults = useFaults();
  const form = useApiForm<Draft>({
    values: EMPTY,
    validate: {
      old: (word) => (word === '' ? t('users:fault.old') : null),
      new: (word, { old }) => faults.password(word) ?? (word === old ? t('users:fault.same') : null),
      again: (word, { new: first }) => (word === first ? null : t('users:fault.again')),
    },
    save: (draft) => changeOwnPassword(draft.old, draft.new),
    onSaved: () => {
      form.fields.reset();
      showSuccess(t('users:password.ownChanged'));
    },
  });
  const { fields } = form;
  const word = (name: keyof Draft) => ({
    disabled: profile.demo,
    ...fields.getInputProps(name),
  });
  return (
    <form onSubmit={form.submit} noValidate className={classes.form} data-testid="password-form">
      <Text size="sm">{t('users:password.ownEnds')}</Text>
      <input type="text" name="username" autoComplete="username" value={profile.user_name} readOnly hidden />
      <PasswordInput
        label={t('users:password.old')}
        required
        autoComplete="current-password"
        data-testid="password-old"
        {...word('old')}
      />
      <NewPassword
        label={t('users:password.new')}
        userName={profile.user_name}
        value={fields.getValues().new}
        onChange={(next) => fields.setFieldValue('new', next)}
        error={fields.errors.new}
        disabled={profile.demo}
        testId="password-new"
      />
      <PasswordInput
        label={t('users:password.again')}
        required
        autoComplete="new-password"
        data-testid="password-again"
        {...word('again')}
      />
      <FormFoot
        form={form}
        disabled={profile.demo || !fields.isDirty()}
        save={t('users:password.change')}
        testId="password-save"
      />
    </form>
  );
}
