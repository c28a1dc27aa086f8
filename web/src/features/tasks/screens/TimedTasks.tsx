import { Tabs } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTab } from '@/lib/tab';
import { CalendarList } from '../components/CalendarList';
import { TaskList } from '../components/TaskList';

const TABS = ['tasks', 'calendars'] as const;

/** What a list has put into the address is of no other list. */
const NOTHING = { page: undefined, search: undefined, device_id: undefined, enabled: undefined, id: undefined };

/** Timed tasks, and the holiday calendars that they go by. */
export default function TimedTasks(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const active = TABS.find((tab) => tab === search.tab) ?? TABS[0];
  return (
    <Tabs
      value={active}
      onChange={(tab) => setSearch({ ...NOTHING, tab: tab ?? undefined })}
      keepMounted={false}
      style={{ display: 'flex', flexDirection: 'column', height: '100%', minHeight: 0 }}
    >
      <Tabs.List>
        {TABS.map((tab) => (
          <Tabs.Tab key={tab} value={tab} data-testid={`tasks-${tab}`}>
            {t(`tasks:tab.${tab}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="tasks" style={{ flex: 1, minHeight: 0 }}>
        <TaskList />
      </Tabs.Panel>
      <Tabs.Panel value="calendars" style={{ flex: 1, minHeight: 0 }}>
        <CalendarList />
      </Tabs.Panel>
    </Tabs>
  );
}
