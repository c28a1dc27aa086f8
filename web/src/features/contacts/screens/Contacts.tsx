import { Tabs } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTab } from '@/lib/tab';
import { ContactList } from '../components/ContactList';
import { DeliveryLog } from '../components/DeliveryLog';
import { GroupList } from '../components/GroupList';
import { UnreachedAlarms } from '../components/UnreachedAlarms';

const TABS = ['contacts', 'groups', 'log'] as const;

/** What a list has put into the address is of no other list. */
const NOTHING = {
  page: undefined,
  search: undefined,
  channel: undefined,
  state: undefined,
  contact: undefined,
  id: undefined,
};

/** Contacts, their groups, and what was sent to them. */
export default function Contacts(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const active = TABS.find((tab) => tab === search.tab) ?? TABS[0];
  return (
    <>
      <UnreachedAlarms />
      <Tabs
        value={active}
        onChange={(tab) => setSearch({ ...NOTHING, tab: tab ?? undefined })}
        keepMounted={false}
        style={{ display: 'flex', flexDirection: 'column', height: '100%', minHeight: 0 }}
      >
        <Tabs.List>
          {TABS.map((tab) => (
            <Tabs.Tab key={tab} value={tab} data-testid={`contacts-${tab}`}>
              {t(`contacts:tab.${tab}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="contacts" style={{ flex: 1, minHeight: 0 }}>
          <ContactList />
        </Tabs.Panel>
        <Tabs.Panel value="groups" style={{ flex: 1, minHeight: 0 }}>
          <GroupList />
        </Tabs.Panel>
        <Tabs.Panel value="log" style={{ flex: 1, minHeight: 0 }}>
          <DeliveryLog />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
