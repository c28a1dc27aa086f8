import '@mantine/dates/styles.css';
import 'dayjs/locale/zh-cn';
import { Select, Textarea, TextInput } from '@mantine/core';
import { DateInput } from '@mantine/dates';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import type { FormMode } from '@/components/resource/resource';
import { AsyncPicker } from '@/components/AsyncPicker';
import { findGroups, findUsers } from '../api';
import { typesBelow } from '../account';
import type { UserChoice, UserDraft } from '../userDraft';
import { NewPassword } from './NewPassword';
import { UserLimitFields } from './UserLimitFields';
import { useUserTypes } from './useUserTypes';

/** Titles of their own are for user types above this. */
const NO_TITLE_UP_TO = 1;

/** The inputs of a user. */
export default function UserFields({ form, mode }: { form: ApiForm<UserDraft>; mode: FormMode }): ReactElement {
  const { t, i18n } = useTranslation();
  const { own } = useUserTypes();
  const { fields } = form;
  const { user_type, parent, group, user_name, password } = fields.getValues();
  const types = typesBelow(own, parent?.type ?? own).map((type) => ({
    value: String(type),
    label: t(`base:userType.${type}`),
  }));
  const setType = (type: string | null): void => {
    if (type === null || type === user_type) return;
    fields.setFieldValue('user_type', type);
    fields.setFieldValue('group', null);
  };
  const setParent = (chosen: UserChoice | null): void => {
    fields.setFieldValue('parent', chosen);
    const min = chosen === null ? own : chosen.type;
    if (mode === 'create' && Number(user_type) <= min) setType(String(typesBelow(own, min)[0] ?? user_type));
  };
  return (
    <>
      <TextInput
        label={t('users:field.name')}
        description={mode === 'edit' ? undefined : t('users:rule.name')}
        required
        disabled={mode === 'edit'}
        autoComplete="off"
        data-autofocus={mode === 'edit' ? undefined : true}
        data-testid="user-name"
        {...fields.getInputProps('user_name')}
      />
      {mode === 'edit' ? null : (
        <NewPassword
          label={t('users:field.password')}
          userName={user_name}
          value={password}
          onChange={(next) => fields.setFieldValue('password', next)}
          error={fields.errors.password}
          optional
          testId="user-password"
        />
      )}
      <AsyncPicker
        label={t('users:field.parent')}
        description={mode === 'edit' ? t('users:hint.move') : t('users:hint.parent')}
        value={parent}
        onChange={(choice) => setParent(choice as UserChoice | null)}
        load={async (search, signal) => choicesOf(await findUsers(search, signal), t)}
        queryKey={['user', 'pick']}
        error={fields.errors.parent}
        clearable={mode !== 'edit'}
        testId="user-parent"
      />
      <Select
        label={t('users:field.type')}
        description={t('users:hint.type')}
        data={types}
        value={user_type}
        onChange={setType}
        error={fields.errors.user_type}
        allowDeselect={false}
        required
        data-testid="user-type"
      />
      <AsyncPicker
        key={user_type}
        label={t('users:field.group')}
        description={t('users:hint.group')}
        value={group}
        onChange={(choice) => fields.setFieldValue('group', choice)}
        load={(search, signal) => findGroups(search, Number(user_type), signal)}
        queryKey={['group', 'pick', user_type]}
        error={fields.errors.group}
        clearable
        testId="user-group"
      />
      <DateInput
        label={t('users:field.expire')}
        description={t('users:hint.expire')}
        valueFormat="YYYY-MM-DD"
        locale={i18n.language === 'zh' ? 'zh-cn' : 'en'}
        clearable
        clearButtonProps={{ 'aria-label': t('base:table.clear') }}
        data-testid="user-expire"
        {...fields.getInputProps('expire')}
      />
      <TextInput
        label={t('users:field.nick')}
        maxLength={64}
        data-testid="user-nick"
        {...fields.getInputProps('nick_name')}
      />
      <TextInput label={t('users:field.phone')} type="tel" {...fields.getInputProps('phone')} />
      <TextInput label={t('users:field.email')} type="email" {...fields.getInputProps('email')} />
      {Number(user_type) <= NO_TITLE_UP_TO ? null : (
        <TextInput
          label={t('users:field.title')}
          description={t('users:hint.title')}
          maxLength={100}
          {...fields.getInputProps('bigscreen_title')}
        />
      )}
      <UserLimitFields form={form} />
      <Textarea
        label={t('users:field.remark')}
        autosize
        minRows={2}
        maxLength={500}
        {...fields.getInputProps('remark')}
      />
    </>
  );
}

function choicesOf(
  rows: readonly { user_id: number; user_name: string; user_type: number }[],
  t: (key: string) => string,
): UserChoice[] {
  return rows.map(({ user_id, user_name, user_type }) => ({
    value: String(user_id),
    label: user_name,
    note: t(`base:userType.${user_type}`),
    type: user_type,
  }));
}
