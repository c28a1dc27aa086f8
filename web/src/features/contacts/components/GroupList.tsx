import { lazy, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { changeGroup, createGroup, deleteGroup, GROUPS, loadGroups } from '../api';
import type { ContactGroupRow } from '../api';
import { groupBody, groupDraft, missingOf, NO_GROUP } from '../draft';
import type { GroupDraft } from '../draft';
import { useGroupColumns } from './useGroupColumns';
import { useGroupTests } from './useTests';

const GroupFields = lazy(() => import('./GroupFields'));
const groupFields = (form: ApiForm<GroupDraft>): ReactElement => <GroupFields form={form} />;

/** Groups with what they are told of. */
export function GroupList(): ReactElement {
  const { t } = useTranslation();
  const { rowActions, dialog } = useGroupTests();
  const columns = useGroupColumns();
  const filters = useMemo<readonly Filter[]>(
    () => [{ kind: 'search', name: 'search', label: t('contacts:searchGroup') }],
    [t],
  );
  const resource = useMemo<Resource<ContactGroupRow, GroupDraft>>(() => {
    return {
      name: 'contact-groups',
      title: t('contacts:tab.groups'),
      queryKey: GROUPS,
      load: loadGroups,
      rowId: (row) => row.id,
      columns,
      filters,
      rowActions,
      form: {
        empty: NO_GROUP,
        of: groupDraft,
        words: { create: t('contacts:addGroup'), edit: t('contacts:editGroup') },
        fields: groupFields,
        validate: (draft) => Object.fromEntries(missingOf(draft).map((path) => [path, t('contacts:needed')])),
        create: (draft) => createGroup(groupBody(draft)),
        update: (row, draft) => changeGroup(row.id, groupBody(draft)),
      },
      remove: { what: (row) => row.title, call: (row) => deleteGroup(row.id) },
      empty: { title: t('contacts:noGroups'), text: t('contacts:noGroupsText') },
    };
  }, [t, columns, filters, rowActions]);
  return (
    <>
      <ResourcePage resource={resource} />
      {dialog}
    </>
  );
}
