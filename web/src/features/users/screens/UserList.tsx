import { SegmentedControl } from '@mantine/core';
import { lazy, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { FormMode, Resource } from '@/components/resource/resource';
import { useTab } from '@/lib/tab';
import { changeUser, createUser, loadAllUsers, loadUsers } from '../api';
import type { MadeUser, UserRow } from '../api';
import { useFaults } from '../components/useFaults';
import { useTakeOver } from '../components/useTakeOver';
import { useUserColumns } from '../components/useUserColumns';
import { useUserFilters, useUsers } from '../components/useUsers';
import { useUserTypes } from '../components/useUserTypes';
import { bodyOf, changeOf, DRAFT_NAMES, draftOf, emptyDraft } from '../userDraft';
import type { UserDraft } from '../userDraft';

/** With the calendar, when a form is first opened; the form waits for it, so that the focus finds its first field. */
const UserFields = lazy(() => import('../components/UserFields'));
const KEY = ['user'];

/** The signed-in user and everybody below him. */
export default function UserList(): ReactElement {
  const { t } = useTranslation();
  const { search } = useTab();
  const { all, below, own } = useUserTypes();
  const columns = useUserColumns();
  const filters = useUserFilters(all);
  const faults = useFaults();
  const { whyNot, rowActions, showMade, dialogs } = useUsers();
  const [remove, takeOver] = useTakeOver();
  const isUnpaged = search.view === 'all';
  const resource = useMemo<Resource<UserRow, UserDraft>>(
    () => ({
      name: 'users',
      title: t('users:title.users'),
      queryKey: isUnpaged ? [...KEY, 'all'] : KEY,
      load: isUnpaged ? loadAllUsers : loadUsers,
      unpaged: isUnpaged,
      rowId: (row) => row.user_id,
      columns,
      filters,
      rowActions,
      tools: <ViewSwitch />,
      form: {
        empty: emptyDraft(Number(below[0]?.value ?? own + 1)),
        of: (row) => draftOf(row, own),
        words: { create: t('users:add'), edit: t('users:edit') },
        mayCreate: 'auth.User',
        mayUpdate: 'auth.User',
        names: DRAFT_NAMES,
        whyNotUpdate: whyNot,
        fields: userFields,
        validate: {
          user_name: faults.name,
          password: (password) => faults.password(password, true),
          phone: faults.phone,
          email: faults.email,
        },
        create: (draft) => createUser(bodyOf({ ...draft, user_name: draft.user_name.trim() })),
        update: (row, draft) => changeUser(row.user_id, changeOf(draft, row)),
        onSaved: (answer, _draft, mode) => {
          const made = answer as MadeUser;
          if (mode === 'create' && made.password !== null) showMade({ name: made.user_name, password: made.password });
        },
      },
      remove: {
        may: 'auth.User',
        what: (row) => row.user_name,
        whyNot,
        call: remove,
        impact: () => t('users:removeImpact'),
      },
    }),
    [t, isUnpaged, columns, filters, rowActions, below, own, whyNot, faults, showMade, remove],
  );
  return (
    <>
      <ResourcePage key={isUnpaged ? 'all' : 'pages'} resource={resource} />
      {dialogs}
      {takeOver}
    </>
  );
}

function userFields(form: ApiForm<UserDraft>, mode: FormMode): ReactElement {
  return <UserFields form={form} mode={mode} />;
}

/** By page, or everybody in one list that scrolls. */
function ViewSwitch(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  return (
    <SegmentedControl
      size="xs"
      value={search.view === 'all' ? 'all' : 'pages'}
      onChange={(view) => setSearch({ view: view === 'all' ? view : undefined, page: undefined })}
      aria-label={t('users:view.label')}
      data={[
        { value: 'pages', label: t('users:view.pages') },
        { value: 'all', label: t('users:view.all') },
      ]}
      data-testid="users-view"
    />
  );
}
