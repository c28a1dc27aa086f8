import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import classes from '../session.module.css';

export default function NoPermission(): ReactElement {
  const { t } = useTranslation();
  const home = useScreenLink('/');
  return (
    <main className={classes.notice}>
      <IconLock size={40} stroke={1.4} aria-hidden />
      <h1>{t('session:noPermission.title')}</h1>
      <p>{t('session:noPermission.text')}</p>
      <Button component="a" {...home} variant="default">
        {t('session:home')}
      </Button>
    </main>
  );
}
