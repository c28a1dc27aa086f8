import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { signIn, signInForDemo } from '@/api/account';
import { ApiError, CODE } from '@/api/errors';
import { errorText } from '@/components/notices';
import { useBrand } from '@/lib/brand';
import { handedOver } from '@/lib/handedOver';
import classes from '../session.module.css';
import { useSignIn } from './useSignIn';

export function SignInForm(): ReactElement {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { busy, failure, run } = useSignIn();
  const demo = useBrand((brand) => brand.demo);

  useEffect(() => {
    const credential = handedOver();
    if (credential !== null) void run(() => signIn(credential.username, credential.password));
    // A credential is there once, at the start.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(() => signIn(name, password));
  };

  return (
    <form onSubmit={submit} data-testid="login-form">
      <Stack gap="md">
        <TextInput
          label={t('session:login.name')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          size="md"
          required
          withAsterisk={false}
          data-autofocus
          data-testid="login-username"
        />
        <PasswordInput
          label={t('session:login.password')}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': t('session:login.showPassword') }}
          autoComplete="current-password"
          size="md"
          required
          withAsterisk={false}
          data-testid="login-password"
        />
        <Failure error={failure} />
        <Button type="submit" size="md" loading={busy} fullWidth data-testid="login-submit">
          {t('session:login.submit')}
        </Button>
        {demo ? (
          <Button variant="default" size="md" disabled={busy} fullWidth onClick={() => void run(signInForDemo)} data-testid="login-demo">
            {t('session:login.demo')}
          </Button>
        ) : null}
      </Stack>
    </form>
  );
}

/** What went wrong, in the form; users of the APP are told that they have no portal. */
function Failure({ error }: { error: unknown }): ReactElement {
  const { t } = useTranslation();
  const noPortal = error instanceof ApiError && error.facts.code === CODE.NO_PERMISSION;
  return (
    <div role="alert" data-testid="login-error">
      {error === null ? null : (
        <div className={classes.failure}>
          <IconAlertTriangle size={18} aria-hidden />
          {noPortal ? t('session:login.noPortal') : errorText(error) || t('base:error.failed')}
        </div>
      )}
    </div>
  );
}
