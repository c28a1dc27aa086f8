import { PasswordInput, Stack, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import type { GroupDraft, RobotDraft } from '../draft';

interface Props {
  form: ApiForm<GroupDraft>;
  at: number;
  robot: RobotDraft;
}

/** A robot's address and secret, neither of which is ever shown. */
export function RobotFields({ form, at, robot }: Props): ReactElement {
  const { t } = useTranslation();
  const { fields } = form;
  const { kind, on, host, has_secret, without_secret } = robot;
  const path = `robots.${at}`;
  return (
    <Stack gap="xs">
      <Switch
        label={t(`base:delivery.channel.${kind}`)}
        data-testid={`robot-${kind}`}
        {...fields.getInputProps(`${path}.on`, { type: 'checkbox' })}
      />
      {on ? (
        <>
          <PasswordInput
            label={t('contacts:field.url')}
            description={host === '' ? t(`contacts:urlOf.${kind}`) : t('contacts:storedUrl', { host })}
            required={host === ''}
            maxLength={1000}
            autoComplete="off"
            data-testid={`robot-${kind}-url`}
            {...fields.getInputProps(`${path}.url`)}
          />
          <PasswordInput
            label={t('contacts:field.secret')}
            description={has_secret ? t('contacts:storedSecret') : t(`contacts:secretOf.${kind}`)}
            maxLength={200}
            autoComplete="off"
            disabled={without_secret}
            {...fields.getInputProps(`${path}.secret`)}
          />
          {has_secret ? (
            <Switch
              label={t('contacts:field.withoutSecret')}
              {...fields.getInputProps(`${path}.without_secret`, { type: 'checkbox' })}
            />
          ) : null}
        </>
      ) : null}
    </Stack>
  );
}
