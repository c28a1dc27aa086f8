import { Menu } from '@mantine/core';
import {
  IconCheck,
  IconChevronDown,
  IconKeyboard,
  IconLogout,
  IconPointer,
  IconUser,
  IconUserCircle,
} from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import { SIZES, usePreferences } from '@/lib/preferences';
import { useSession } from '@/lib/session';
import classes from './layout.module.css';
import { leave } from './leave';
import { useOverlay } from './overlay';
import { useChooseSize } from './useSize';

const PROFILE = '/user/me';
const QuickEntriesDialog = lazy(() => import('@/features/platform/QuickEntriesDialog'));

/** Nickname or name, with the ways to the profile and out, and what each user sets for himself. */
export function UserMenu({ phone }: { phone: boolean }): ReactElement {
  const { t } = useTranslation();
  const user = useSession((state) => state.user);
  const profile = useScreenLink(PROFILE);
  const [editing, setEditing] = useState(false);
  const show = useOverlay((state) => state.show);
  const name = user === null ? '' : user.nickName || user.name;
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <button
            type="button"
            className={classes.userButton}
            aria-label={t('base:user.menu', { name })}
            data-testid="user-menu"
          >
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
          <Menu.Item leftSection={<IconPointer size={16} />} onClick={() => setEditing(true)} data-testid="quick-edit">
            {t('base:quick.edit')}
          </Menu.Item>
          {phone ? null : (
            <Menu.Item leftSection={<IconKeyboard size={16} />} onClick={() => show('keys')} data-testid="show-keys">
              {t('base:keys.title')}
            </Menu.Item>
          )}
          {phone ? null : <SizeItems />}
          <Menu.Divider />
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void leave()} data-testid="sign-out">
            {t('base:user.signOut')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {editing ? (
        <Suspense fallback={null}>
          <QuickEntriesDialog onClose={() => setEditing(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

/** Of no effect on a phone: there the size is a finger's. */
function SizeItems(): ReactElement {
  const { t } = useTranslation();
  const current = usePreferences((state) => state.size);
  const choose = useChooseSize();
  return (
    <>
      <Menu.Divider />
      <Menu.Label>{t('base:size.label')}</Menu.Label>
      {SIZES.map((size) => (
        <Menu.Item
          key={size}
          role="menuitemradio"
          aria-checked={size === current}
          closeMenuOnClick={false}
          leftSection={
            <IconCheck size={16} aria-hidden style={{ visibility: size === current ? 'visible' : 'hidden' }} />
          }
          onClick={() => choose(size)}
          data-testid={`size-${size}`}
        >
          {t(`base:size.${size}`)}
        </Menu.Item>
      ))}
    </>
  );
}
