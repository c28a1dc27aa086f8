import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { loadRegistered } from '../api';
import type { UserRow } from '../api';
import { useTakeOver } from '../components/useTakeOver';
import { useUserColumns } from '../components/useUserColumns';
import { useUserFilters, useUsers } from '../components/useUsers';
import { useUserTypes } from '../components/useUserTypes';

/** Of the APP and of the registration at a computer. */
const REGISTERED = new Set(['5', '6']);

/** Users that registered themselves. */
export default function RegisteredList(): ReactElement {
  const { t } = useTranslation();
  const { all } = useUserTypes();
  const columns = useUserColumns();
  const types = useMemo(() => all.filter(({ value }) => REGISTERED.has(value)), [all]);
  const filters = useUserFilters(types);
  const { whyNot, rowActions, dialogs } = useUsers();
  const [remove, takeOver] = useTakeOver();
  const resource = useMemo<Resource<UserRow>>(
    () => ({
      name: 'registered',
      title: t('users:title.registered'),
      queryKey: ['user', 'registered'],
      load: loadRegistered,
      rowId: (row) => row.user_id,
      columns,
      filters,
      rowActions,
      remove: {
        may: 'auth.User',
        what: (row) => row.user_name,
        whyNot,
        call: remove,
        impact: () => t('users:removeImpact'),
      },
      empty: { title: t('users:registered.none'), text: t('users:registered.noneText') },
    }),
    [t, columns, filters, rowActions, whyNot, remove],
  );
  return (
    <>
      <ResourcePage resource={resource} />
      {dialogs}
      {takeOver}
    </>
  );
}
