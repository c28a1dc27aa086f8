import { Select, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { FormMode, Resource } from '@/components/resource/resource';
import { useSession } from '@/lib/session';
import { formatDateTime } from '@/lib/time';
import { changeGroup, createGroup, deleteGroup, loadGroups, permissionsQuery } from '../api';
import type { GroupBody, GroupRow } from '../api';
import { PermissionTicks } from '../components/PermissionTicks';
import { useUserTypes } from '../components/useUserTypes';
import { offered, ofType } from '../permissionTree';

type GroupDraft = { title: string; user_type: string; permissions: readonly string[]; remark: string };

const draftOf = ({ title, user_type, permissions, remark }: GroupRow): GroupDraft => ({
  title,
  user_type: String(user_type),
  permissions,
  remark,
});

const bodyOf = ({ title, user_type, permissions, remark }: GroupDraft): GroupBody => ({
  title: title.trim(),
  user_type: Number(user_type),
  permissions: [...permissions],
  remark,
});

/** Groups of permissions, of the signed-in user and of everybody below him. */
export default function GroupList(): ReactElement {
  return <ResourcePage resource={useGroups()} />;
}

function useGroups(): Resource<GroupRow, GroupDraft> {
  const { t } = useTranslation();
  const { all, below, own } = useUserTypes();
  return useMemo(
    () => ({
      name: 'groups',
      title: t('users:title.groups'),
      queryKey: ['group'],
      load: loadGroups,
      rowId: (row) => row.group_id,
      columns: [
        {
          id: 'title',
          title: t('users:group.title'),
          cell: (row) => row.title,
          text: (row) => row.title,
          fixed: true,
          card: 'title',
        },
        {
          id: 'type',
          title: t('users:field.type'),
          cell: (row) => t(`base:userType.${row.user_type}`),
          text: (row) => t(`base:userType.${row.user_type}`),
          card: 'mark',
        },
        {
          id: 'permissions',
          title: t('users:group.permissions'),
          cell: (row) => <PermissionCount row={row} />,
          text: (row) => String(row.permissions.length),
          align: 'right',
          card: 'fact',
        },
        {
          id: 'users',
          title: t('users:group.users'),
          cell: (row) => <span className="number">{row.users}</span>,
          text: (row) => String(row.users),
          align: 'right',
          card: 'fact',
        },
        {
          id: 'owner',
          title: t('users:group.owner'),
          cell: (row) => row.owner_name,
          text: (row) => row.owner_name,
          card: 'fact',
        },
        {
          id: 'created',
          title: t('users:field.created'),
          cell: (row) => formatDateTime(row.created_ms),
          text: (row) => formatDateTime(row.created_ms),
          hidden: true,
        },
        { id: 'remark', title: t('users:field.remark'), cell: (row) => row.remark, text: (row) => row.remark },
      ],
      filters: [
        { kind: 'search', name: 'search', label: t('users:group.search') },
        { kind: 'select', name: 'type', label: t('users:field.type'), options: all },
      ],
      form: {
        empty: { title: '', user_type: below[0]?.value ?? String(own + 1), permissions: [], remark: '' },
        of: draftOf,
        copy: (row) => ({ ...draftOf(row), title: t('users:group.copyOf', { title: row.title }) }),
        words: { create: t('users:group.add'), edit: t('users:group.edit') },
        mayCreate: 'auth.Group/index',
        mayUpdate: 'auth.Group/index',
        whyNotUpdate: (row) => (row.user_type <= own ? t('users:group.notBelow') : ''),
        fields: (form, mode, row) => <GroupFields form={form} mode={mode} row={row} />,
        validate: { title: (title) => (title.trim() === '' ? t('users:rule.title') : null) },
        create: (draft) => createGroup(bodyOf(draft)),
        update: (row, draft) => changeGroup(row.group_id, bodyOf(draft)),
      },
      remove: {
        may: 'auth.Group/index',
        what: (row) => row.title,
        whyNot: (row) => (row.users > 0 ? t('users:refusal.group.has_users', { users: row.users }) : ''),
        call: (row) => deleteGroup(row.group_id),
        undo: (row) => createGroup(bodyOf(draftOf(row))),
      },
      empty: { title: t('users:group.nothing'), text: t('users:group.nothingText') },
    }),
    [t, all, below, own],
  );
}

/** Of the permissions that the group's type can have, how many count. */
function PermissionCount({ row }: { row: GroupRow }): ReactElement {
  const { data } = useQuery(permissionsQuery);
  const flags = useSession((state) => state.platform.flags);
  const possible = offered(ofType(data ?? [], row.user_type), flags).map(({ code }) => code);
  const count = possible.filter((code) => row.permissions.includes(code)).length;
  return (
    <span className="number">{data === undefined ? row.permissions.length : `${count} / ${possible.length}`}</span>
  );
}

function GroupFields({
  form,
  mode,
  row,
}: {
  form: ApiForm<GroupDraft>;
  mode: FormMode;
  row: GroupRow | null;
}): ReactElement {
  const { t } = useTranslation();
  const { below } = useUserTypes();
  const own = useSession((state) => state.permissions);
  const { fields } = form;
  const { user_type, permissions } = fields.getValues();
  const isBound = mode === 'edit' && row !== null && row.users > 0;
  const missing = permissions.filter((code) => !own.includes(code)).length;
  return (
    <>
      <TextInput
        label={t('users:group.title')}
        required
        maxLength={100}
        data-autofocus
        data-testid="group-title"
        {...fields.getInputProps('title')}
      />
      <Select
        label={t('users:field.type')}
        description={isBound ? t('users:group.typeBound', { users: row.users }) : t('users:group.typeHint')}
        data={below}
        allowDeselect={false}
        disabled={isBound}
        data-testid="group-type"
        {...fields.getInputProps('user_type')}
      />
      <PermissionTicks
        userType={Number(user_type)}
        value={permissions}
        onChange={(codes) => fields.setFieldValue('permissions', codes)}
        error={fields.errors.permissions}
      />
      {missing === 0 ? null : <p role="note">{t('users:group.beyond', { count: missing })}</p>}
      <Textarea
        label={t('users:field.remark')}
        autosize
        minRows={2}
        maxLength={500}
        {...fields.getInputProps('remark')}
      />
    </>
  );
}
