import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconChecks, IconHistoryToggle, IconShieldCheck } from '@tabler/icons-react';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { signIn } from '@/api/account';
import { LanguageSwitch } from '@/components/LanguageSwitch';
import { BrandMark } from '@/components/BrandMark';
import { errorText } from '@/components/notices';
import { SchemeSwitch } from '@/components/SchemeSwitch';
import { useGo } from '@/lib/navigation';
import classes from '../session.module.css';

/** Where to go after sign-in: only inside this portal. */
function target(): string {
  const wanted = new URLSearchParams(window.location.search).get('redirect') ?? '/';
  return /^\/(?![/\\])/.test(wanted) && !wanted.startsWith('/login') ? wanted : '/';
}

export default function Login(): ReactElement {
  const { t } = useTranslation();
  return (
    <div className={classes.page}>
      <Side />
      <main className={classes.main}>
        <div className={classes.tools}>
          <SchemeSwitch />
          <LanguageSwitch />
        </div>
        <div className={classes.form}>
          <h1>{t('session:login.welcome')}</h1>
          <p className={classes.hint}>{t('base:product')}</p>
          <SignInForm />
        </div>
      </main>
    </div>
  );
}

function SignInForm(): ReactElement {
  const { t } = useTranslation();
  const go = useGo();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      await signIn(name, password);
      const [path = '/', query = ''] = target().split('?');
      go(path, Object.fromEntries(new URLSearchParams(query)), { replace: true });
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)} data-testid="login-form">
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
        <div role="alert" data-testid="login-error">
          {failure === null ? null : (
            <div className={classes.failure}>
              <IconAlertTriangle size={18} aria-hidden />
              {errorText(failure) || t('base:error.failed')}
            </div>
          )}
        </div>
        <Button type="submit" size="md" loading={busy} fullWidth data-testid="login-submit">
          {t('session:login.submit')}
        </Button>
      </Stack>
    </form>
  );
}

function Side(): ReactElement {
  const { t } = useTranslation();
  const facts = [
    { icon: IconChecks, text: t('session:login.fact.complete') },
    { icon: IconHistoryToggle, text: t('session:login.fact.offline') },
    { icon: IconShieldCheck, text: t('session:login.fact.command') },
  ];
  return (
    <aside className={classes.side} aria-label={t('base:product')}>
      <svg className={classes.trace} viewBox="0 0 600 200" preserveAspectRatio="none" aria-hidden>
        <path
          d="M0 150 L60 150 80 120 110 165 150 90 190 140 240 132 280 60 320 120 370 108 420 112 460 40 500 92 600 84"
          fill="none"
          stroke="#4f90c4"
          strokeWidth="2"
          vectorEffect="non-scaling-stroke"
        />
        <path d="M0 176 H600" stroke="#35597a" strokeDasharray="4 6" vectorEffect="non-scaling-stroke" />
      </svg>
      <div className={classes.brand}>
        <BrandMark size={28} />
        {t('base:product')}
      </div>
      <div>
        <p className={classes.claim}>{t('session:login.claim')}</p>
        <ul className={classes.facts}>
          {facts.map(({ icon: Icon, text }) => (
            <li key={text}>
              <Icon size={20} stroke={1.6} aria-hidden />
              <span>{text}</span>
            </li>
          ))}
        </ul>
      </div>
      <div className={classes.advice}>{t('session:login.browser')}</div>
    </aside>
  );
}
