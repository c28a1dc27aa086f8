import { ActionIcon } from '@mantine/core';
import { IconMenu2 } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { LanguageSwitch } from '@/components/LanguageSwitch';
import { SchemeSwitch } from '@/components/SchemeSwitch';
import { useScreenLink } from '@/lib/navigation';
import { useMay } from '@/lib/session';
import { ConnectionChip } from './ConnectionChip';
import { ErrorLogButton } from './ErrorLogButton';
import classes from './layout.module.css';
import { Logo } from './Logo';
import { NotificationSlot } from './NotificationSlot';
import { PaletteButton } from './PaletteButton';
import { QuickEntries } from './QuickEntries';
import { TopMenus } from './TopMenu';
import { UserMenu } from './UserMenu';
import { useTitle } from './useTitle';

/** phone: the menus lie in the drawer, which onMenu opens. */
export function TopBar({ phone, onMenu }: { phone: boolean; onMenu: () => void }): ReactElement {
  const { t } = useTranslation();
  const home = useScreenLink('/');
  const title = useTitle();
  return (
    <header className={classes.header}>
      {phone ? (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          onClick={onMenu}
          aria-label={t('base:menu.open')}
          data-testid="open-menu"
        >
          <IconMenu2 size={20} stroke={1.6} />
        </ActionIcon>
      ) : null}
      <a className={classes.brand} {...home} aria-label={title}>
        <Logo size={24} />
        <span className={classes.wide} data-testid="platform-title">
          {title}
        </span>
      </a>
      {phone ? null : <QuickEntries />}
      <div className={classes.spacer} />
      <ConnectionChip />
      <ErrorLogButton />
      <PaletteButton />
      <NotificationSlot />
      {phone ? null : (
        <>
          <TopMenus />
          <SchemeSwitch />
          <LanguageSelector />
        </>
      )}
      <UserMenu phone={phone} />
    </header>
  );
}

/** The language selector is a permission. */
export function LanguageSelector(): ReactElement | null {
  return useMay('i18n') ? <LanguageSwitch /> : null;
}
