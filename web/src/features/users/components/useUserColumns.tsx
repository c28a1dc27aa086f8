import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ExpiryText } from '@/components/ExpiryText';
import page from '@/components/page.module.css';
import { StatusBadge } from '@/components/StatusBadge';
import type { Column } from '@/components/table/columns';
import { formatDateTime } from '@/lib/time';
import { dayOf } from '../account';
import type { UserRow } from '../api';

const time = (ms: number | null): string => (ms === null ? '' : formatDateTime(ms));

/** The columns of a list of users. */
export function useUserColumns(): readonly Column<UserRow>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const typeName = (row: UserRow): string => t(`base:userType.${row.user_type}`);
    return [
      {
        id: 'name',
        title: t('users:field.name'),
        fixed: true,
        card: 'title',
        sort: 'user_name',
        width: 160,
        cell: (row) => (
          <>
            {row.user_name}
            {row.nick_name === '' ? null : <span className={page.hint}> {row.nick_name}</span>}
          </>
        ),
        text: (row) => row.user_name,
      },
      {
        id: 'nick',
        title: t('users:field.nick'),
        cell: (row) => row.nick_name,
        text: (row) => row.nick_name,
        sort: 'nick_name',
        hidden: true,
        width: 140,
      },
      {
        id: 'type',
        title: t('users:field.type'),
        cell: typeName,
        text: typeName,
        value: (row) => row.user_type,
        sort: 'user_type',
        card: 'fact',
        width: 110,
      },
      {
        id: 'status',
        title: t('users:field.status'),
        card: 'mark',
        sort: 'status',
        width: 90,
        cell: (row) => <StatusBadge kind="user" code={row.status} />,
        text: (row) => t(`base:code.user.${row.status}`),
        value: (row) => row.status,
      },
      {
        id: 'expire',
        title: t('users:field.expire'),
        card: 'fact',
        sort: 'user_expire',
        width: 200,
        cell: (row) => <ExpiryText ms={row.user_expire} />,
        text: (row) => dayOf(row.user_expire) ?? '',
        value: (row) => row.user_expire ?? Number.MAX_SAFE_INTEGER,
      },
      {
        id: 'group',
        title: t('users:field.group'),
        cell: (row) => row.group_title ?? '–',
        text: (row) => row.group_title ?? '',
        width: 130,
      },
      {
        id: 'parent',
        title: t('users:field.parent'),
        cell: (row) => row.parent_name ?? '–',
        text: (row) => row.parent_name ?? '',
        width: 110,
      },
      {
        id: 'last',
        title: t('users:field.lastLogin'),
        card: 'fact',
        sort: 'last_login_ms',
        width: 160,
        cell: (row) =>
          row.last_login_ms === null ? (
            <span className={page.hint}>{t('users:never')}</span>
          ) : (
            <span className="number">{time(row.last_login_ms)}</span>
          ),
        text: (row) => time(row.last_login_ms),
        value: (row) => row.last_login_ms ?? 0,
      },
      {
        id: 'phone',
        title: t('users:field.phone'),
        cell: (row) => row.phone,
        text: (row) => row.phone,
        hidden: true,
        width: 130,
      },
      {
        id: 'email',
        title: t('users:field.email'),
        cell: (row) => row.email,
        text: (row) => row.email,
        hidden: true,
        width: 200,
      },
      {
        id: 'created',
        title: t('users:field.created'),
        cell: (row) => time(row.created_ms),
        text: (row) => time(row.created_ms),
        value: (row) => row.created_ms,
        sort: 'created_ms',
        hidden: true,
        width: 170,
      },
      {
        id: 'remark',
        title: t('users:field.remark'),
        cell: (row) => row.remark,
        text: (row) => row.remark,
        hidden: true,
        width: 200,
      },
    ];
  }, [t]);
}
