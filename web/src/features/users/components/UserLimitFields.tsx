import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import { limitsQuery } from '../api';
import type { LimitState } from '../api';
import type { UserDraft } from '../userDraft';

const FIELDS = [
  { resource: 'projects', label: 'users:limit.maxProjects' },
  { resource: 'devices', label: 'users:limit.maxDevices' },
] as const;

/** How many projects and devices a user and everybody below may have, with what is used of it. */
export function UserLimitFields({ form }: { form: ApiForm<UserDraft> }): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { id } = fields.getValues();
  const { data: his = [] } = useQuery({ ...limitsQuery(id), enabled: id !== 0 });
  const { data: own = [] } = useQuery(limitsQuery());
  return (
    <>
      {FIELDS.map(({ resource, label }) => (
        <TextInput
          key={resource}
          label={t(label)}
          description={usage(t, of(his, resource), of(own, resource))}
          placeholder={t('users:limit.none')}
          inputMode="numeric"
          maxLength={7}
          data-testid={`user-limit-${resource}`}
          {...fields.getInputProps(resource)}
          onChange={({ currentTarget }) => fields.setFieldValue(resource, currentTarget.value.replace(/\D/g, ''))}
        />
      ))}
    </>
  );
}

function of(states: readonly LimitState[], resource: LimitState['resource']): LimitState | undefined {
  return states.find((each) => each.resource === resource);
}

function usage(t: (key: string, words: Record<string, number>) => string, his?: LimitState, own?: LimitState): string {
  const used = his?.used ?? 0;
  const bound = own?.bound ?? null;
  return bound === null ? t('users:limit.usage', { used }) : t('users:limit.usageBound', { used, bound });
}
