import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconHelpCircle, IconKey, IconLock, IconLockOpen } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { showSuccess } from '@/components/notices';
import { usePerm } from '@/components/permission';
import { setStatus } from '../api';
import type { UserRow } from '../api';
import classes from '../users.module.css';

export type Act = 'password' | 'why';

interface Props {
  row: UserRow;
  /** '' when this user may be changed. */
  whyNot: string;
  onAct: (act: Act, row: UserRow) => void;
}

/** What else can be done with a user. */
export function UserActions({ row, whyNot, onAct }: Props): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const may = usePerm('auth.User');
  const off = !may || whyNot !== '';
  const isOn = row.status === 1;
  const change = useMutation({
    mutationFn: () => setStatus(row.user_id, isOn ? 0 : 1),
    onSuccess: () => showSuccess(t(isOn ? 'users:status.disabled' : 'users:status.enabled', { name: row.user_name })),
    onSettled: () => void cache.invalidateQueries({ queryKey: ['user'] }),
  });
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          className={classes.more}
          loading={change.isPending}
          aria-label={t('users:more', { name: row.user_name })}
          data-testid="user-more"
        >
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {whyNot === '' ? null : <Menu.Label maw={260}>{whyNot}</Menu.Label>}
        <Menu.Item
          leftSection={isOn ? <IconLock size={16} /> : <IconLockOpen size={16} />}
          disabled={off}
          onClick={() => change.mutate()}
          data-testid="user-status"
        >
          {isOn ? t('users:status.disable') : t('users:status.enable')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconKey size={16} />}
          disabled={off}
          onClick={() => onAct('password', row)}
          data-testid="user-reset"
        >
          {t('users:password.menu')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconHelpCircle size={16} />}
          disabled={!may}
          onClick={() => onAct('why', row)}
          data-testid="user-why"
        >
          {t('users:why.menu')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
