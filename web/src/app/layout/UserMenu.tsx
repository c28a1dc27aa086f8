import { Menu } from '@mantine/core';
import { IconChevronDown, IconLogout, IconUserCircle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { signOut } from '@/api/account';
import { ApiError } from '@/api/errors';
import { forgetSession, useSession } from '@/lib/session';
import classes from './layout.module.css';

/** Sign out here even when the cloud cannot be told; the page is loaded anew so that nothing of the user stays. */
async function leave(): Promise<void> {
  try {
    await signOut();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  } finally {
    forgetSession();
    window.location.assign('/login');
  }
}

export function UserMenu(): ReactElement {
  const { t } = useTranslation();
  const user = useSession((state) => state.user);
  const name = user === null ? '' : user.nickName || user.name;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <button type="button" className={classes.userButton} aria-label={t('base:user.menu', { name })} data-testid="user-menu">
          <IconUserCircle size={20} stroke={1.6} aria-hidden />
          <span className={classes.wide}>{name}</span>
          <IconChevronDown size={14} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user?.name ?? ''}</Menu.Label>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void leave()} data-testid="sign-out">
          {t('base:user.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
