import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { signIn, signInForDemo } from '@/api/account';
import { errorText } from '@/components/notices';
import { useBrand } from '@/lib/brand';
import classes from '../session.module.css';
import { useHandedOver } from './useHandedOver';
import type { Change } from './useHandedOver';
import { useSignIn } from './useSignIn';

/** From here on the cloud may make further tries wait; it does not say so, because that would tell which names exist. */
const FAILURES_TO_TELL = 3;

export function SignInForm(): ReactElement {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { busy, failure, failures, run } = useSignIn();
  const demo = useBrand((brand) => brand.demo);

  const { change, accept, refuse } = useHandedOver({
    signIn: ({ username, password: word }) => run(() => signIn(username, word)),
    goOn: () => run(async () => {}),
  });
  if (change !== null) return <ChangeOfUser change={change} onAccept={() => void accept(change)} onRefuse={refuse} />;

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
          autoComplete="current-password"
          size="md"
          required
          withAsterisk={false}
          data-testid="login-password"
        />
        <Failure error={failure} failures={failures} />
        <Button type="submit" size="md" loading={busy} fullWidth data-testid="login-submit">
          {t('session:login.submit')}
        </Button>
        {demo ? (
          <Button
            variant="default"
            size="md"
            disabled={busy}
            fullWidth
            onClick={() => void run(signInForDemo)}
            data-testid="login-demo"
          >
            {t('session:login.demo')}
          </Button>
        ) : null}
      </Stack>
    </form>
  );
}

function ChangeOfUser({
  change,
  onAccept,
  onRefuse,
}: {
  change: Change;
  onAccept: () => void;
  onRefuse: () => void;
}): ReactElement {
  const { t } = useTranslation();
  const names = { from: change.from, to: change.credential.username };
  return (
    <Stack gap="md" role="alertdialog" aria-label={t('session:change.title')} data-testid="change-user">
      <Text>{t('session:change.text', names)}</Text>
      <Button size="md" fullWidth onClick={onRefuse} data-autofocus data-testid="change-refuse">
        {t('session:change.refuse', names)}
      </Button>
      <Button size="md" variant="default" fullWidth onClick={onAccept} data-testid="change-accept">
        {t('session:change.accept', names)}
      </Button>
    </Stack>
  );
}

/** What went wrong, in the form. */
function Failure({ error, failures }: { error: unknown; failures: number }): ReactElement {
  const { t } = useTranslation();
  return (
    <div role="alert" data-testid="login-error">
      {error === null ? null : (
        <div className={classes.failure}>
          <IconAlertTriangle size={18} aria-hidden />
          <span>
            {errorText(error) || t('base:error.failed')}
            {failures < FAILURES_TO_TELL ? null : <small>{t('session:login.manyFailures')}</small>}
          </span>
        </div>
      )}
    </div>
  );
}
