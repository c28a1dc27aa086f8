import { ActionIcon, Indicator } from '@mantine/core';
import { IconBug, IconMenu2 } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { BrandMark } from '@/components/BrandMark';
import { LanguageSwitch } from '@/components/LanguageSwitch';
import { SchemeSwitch } from '@/components/SchemeSwitch';
import { useErrorLog } from '@/lib/errorLog';
import { useScreenLink } from '@/lib/navigation';
import { ConnectionChip } from './ConnectionChip';
import { ErrorLogDialog } from './ErrorLogDialog';
import classes from './layout.module.css';
import { UserMenu } from './UserMenu';

export function TopBar({ onMenu }: { onMenu: (() => void) | null }): ReactElement {
  const { t } = useTranslation();
  const home = useScreenLink('/');
  return (
    <header className={classes.header}>
      {onMenu === null ? null : (
        <ActionIcon variant="subtle" color="gray" size="lg" onClick={onMenu} aria-label={t('base:menu.open')}>
          <IconMenu2 size={20} stroke={1.6} />
        </ActionIcon>
      )}
      <a className={classes.brand} {...home} aria-label={t('base:product')}>
        <BrandMark size={24} />
        <span className={classes.wide}>{t('base:product')}</span>
      </a>
      <div className={classes.spacer} />
      <ConnectionChip />
      <ErrorLogButton />
      <SchemeSwitch />
      <LanguageSwitch />
      <UserMenu />
    </header>
  );
}

function ErrorLogButton(): ReactElement | null {
  const { t } = useTranslation();
  const count = useErrorLog((log) => log.errors.length);
  const [open, setOpen] = useState(false);
  if (count === 0) return null;
  return (
    <>
      <Indicator label={count} size={16} color="red" offset={4}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          onClick={() => setOpen(true)}
          aria-label={t('base:errorLog.open', { count })}
        >
          <IconBug size={20} stroke={1.6} />
        </ActionIcon>
      </Indicator>
      <ErrorLogDialog opened={open} onClose={() => setOpen(false)} />
    </>
  );
}
