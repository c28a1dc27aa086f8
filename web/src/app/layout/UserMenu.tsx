import { Menu } from '@mantine/core';
import { IconChevronDown, IconLogout, IconUser, IconUserCircle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import { useSession } from '@/lib/session';
import classes from './layout.module.css';
import { leave } from './leave';

const PROFILE = '/user/me';

/** Nickname or name, with the ways to the profile and out. */
export function UserMenu(): ReactElement {
  const { t } = useTranslation();
  const user = useSession((state) => state.user);
  const profile = useScreenLink(PROFILE);
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
        <Menu.Item component="a" {...profile} leftSection={<IconUser size={16} />} data-testid="profile">
          {t('base:user.profile')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void leave()} data-testid="sign-out">
          {t('base:user.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
