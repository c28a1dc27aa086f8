import { Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ExpiryText } from '@/components/ExpiryText';
import { FormFoot } from '@/components/form/FormFoot';
import { useApiForm } from '@/components/form/useApiForm';
import { showSuccess } from '@/components/notices';
import page from '@/components/page.module.css';
import { session, useMay } from '@/lib/session';
import { formatDateTime } from '@/lib/time';
import { changed } from '../account';
import { changeProfile, limitsQuery, profileQuery } from '../api';
import type { Profile } from '../api';
import classes from '../users.module.css';
import { useFaults } from './useFaults';

type Draft = { nick_name: string; phone: string; email: string; bigscreen_title: string };
const NO_TITLE_UP_TO = 1;

export function MyProfile({ profile }: { profile: Profile }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const faults = useFaults();
  const mayTitle = useMay('CustomizeBigscreenTitle') && profile.user_type > NO_TITLE_UP_TO;
  const { nick_name, phone, email, bigscreen_title } = profile;
  const original: Draft = { nick_name, phone, email, bigscreen_title };
  const form = useApiForm<Draft, Profile>({
    values: original,
    validate: { phone: faults.phone, email: faults.email },
    save: (draft) => changeProfile(changed(draft, original)),
    onSaved: (saved, draft) => {
      form.fields.resetDirty(draft);
      cache.setQueryData(profileQuery.queryKey, saved);
      session.setState(({ user }) => ({
        user: user === null ? null : { ...user, nickName: saved.nick_name, bigscreenTitle: saved.bigscreen_title },
      }));
      showSuccess(t('base:form.done.edit'));
    },
  });
  const { fields } = form;
  const { data: limits = [] } = useQuery(limitsQuery());
  const facts: [string, ReactElement | string][] = [
    [t('users:field.name'), profile.user_name],
    [t('users:field.type'), t(`base:userType.${profile.user_type}`)],
    [t('users:field.group'), profile.group_title ?? t('users:me.noGroup')],
    [t('users:field.expire'), <ExpiryText key="expire" ms={profile.user_expire} />],
    [t('users:field.created'), formatDateTime(profile.created_ms)],
    [t('users:field.lastLogin'), profile.last_login_ms === null ? '–' : formatDateTime(profile.last_login_ms)],
    ...limits.map(({ resource, bound, used }): [string, string] => [
      t(`users:limit.${resource}`),
      bound === null ? t('users:limit.unlimited', { used }) : t('users:limit.used', { used, limit: bound }),
    ]),
  ];
  return (
    <Stack gap="lg">
      <dl className={page.facts} style={{ margin: 0 }}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <form onSubmit={form.submit} noValidate className={classes.form}>
        <TextInput
          label={t('users:field.nick')}
          maxLength={64}
          disabled={profile.demo}
          data-testid="me-nick"
          {...fields.getInputProps('nick_name')}
        />
        <TextInput
          label={t('users:field.phone')}
          type="tel"
          autoComplete="tel"
          disabled={profile.demo}
          data-testid="me-phone"
          {...fields.getInputProps('phone')}
        />
        <TextInput
          label={t('users:field.email')}
          type="email"
          autoComplete="email"
          disabled={profile.demo}
          data-testid="me-email"
          {...fields.getInputProps('email')}
        />
        {mayTitle ? (
          <TextInput
            label={t('users:field.title')}
            description={t('users:hint.title')}
            maxLength={100}
            disabled={profile.demo}
            {...fields.getInputProps('bigscreen_title')}
          />
        ) : null}
        <FormFoot form={form} disabled={profile.demo || !fields.isDirty()} testId="me-save" />
      </form>
    </Stack>
  );
}
