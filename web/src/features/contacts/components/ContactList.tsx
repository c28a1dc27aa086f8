import { lazy, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { FormMode, Resource } from '@/components/resource/resource';
import { changeContact, CONTACTS, createContact, deleteContact, loadContacts } from '../api';
import type { ContactRow } from '../api';
import { contactBody, contactDraft, NO_CONTACT } from '../draft';
import type { ContactDraft } from '../draft';
import { useContactColumns } from './useContactColumns';
import { useContactTests } from './useTests';

const ContactFields = lazy(() => import('./ContactFields'));
const contactFields = (form: ApiForm<ContactDraft>, _mode: FormMode, row: ContactRow | null): ReactElement => (
  <ContactFields form={form} row={row} />
);

/** Contacts with their addresses, and trying whether these are right. */
export function ContactList(): ReactElement {
  const { t } = useTranslation();
  const { rowActions, dialog } = useContactTests();
  const columns = useContactColumns();
  const filters = useMemo<readonly Filter[]>(
    () => [{ kind: 'search', name: 'search', label: t('contacts:searchContact') }],
    [t],
  );
  const resource = useMemo<Resource<ContactRow, ContactDraft>>(
    () => ({
      name: 'contacts',
      title: t('contacts:tab.contacts'),
      queryKey: CONTACTS,
      load: loadContacts,
      rowId: (row) => row.id,
      columns,
      filters,
      rowActions,
      form: {
        empty: NO_CONTACT,
        of: contactDraft,
        words: { create: t('contacts:addContact'), edit: t('contacts:editContact') },
        fields: contactFields,
        validate: { name: (name) => (name.trim() === '' ? t('contacts:needed') : null) },
        create: (draft) => createContact(contactBody(draft)),
        update: (row, draft) => changeContact(row.id, contactBody(draft)),
      },
      remove: {
        what: (row) => row.name,
        call: (row) => deleteContact(row.id),
        impact: (row) => (row.groups.length === 0 ? null : t('contacts:impact', { groups: row.groups.join(', ') })),
      },
      empty: { title: t('contacts:noContacts'), text: t('contacts:noContactsText') },
    }),
    [t, columns, filters, rowActions],
  );
  return (
    <>
      <ResourcePage resource={resource} />
      {dialog}
    </>
  );
}
