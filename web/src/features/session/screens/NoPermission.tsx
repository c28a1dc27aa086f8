import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import { screenAt } from '@/lib/screens';
import { useSession } from '@/lib/session';
import { Why } from '../components/Why';
import classes from '../session.module.css';

export default function NoPermission(): ReactElement {
  const { t } = useTranslation();
  const home = useScreenLink('/');
  const signedIn = useSession((state) => state.tokens !== null);
  const [requested, setRequested] = useState(false);
  const screen = screenAt(new URLSearchParams(window.location.search).get('from') ?? '');
  return (
    <main className={classes.notice}>
      <IconLock size={40} stroke={1.4} aria-hidden />
      <h1>{t('session:noPermission.title')}</h1>
      {screen === undefined ? null : <p>{t('session:noPermission.page', { title: t(screen.titleKey) })}</p>}
      <p>{t('session:noPermission.text')}</p>
      {requested && screen !== undefined ? <Why screen={screen} /> : null}
      <div className={classes.ways}>
        <Button component="a" {...home} variant="default">
          {t('session:home')}
        </Button>
        {screen === undefined || !signedIn || requested ? null : (
          <Button variant="subtle" onClick={() => setRequested(true)} data-testid="why">
            {t('session:noPermission.why')}
          </Button>
        )}
      </div>
    </main>
  );
}
