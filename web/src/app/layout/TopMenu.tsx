import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useOpened } from '../opened';
import { MenuEntries } from './MenuEntries';
import { useMenu } from './useMenu';
import type { MenuGroup } from './useMenu';

/** The menus of the top bar: fees, user centre; each only with something in it. */
export function TopMenus(): ReactElement {
  return (
    <>
      {useMenu('top').map((group) => (
        <TopMenu key={group.section.id} group={group} />
      ))}
    </>
  );
}

function TopMenu({ group: { section, entries } }: { group: MenuGroup }): ReactElement {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const active = useOpened((state) => state.tabs.find((tab) => tab.id === state.activeId)?.screen.path);
  const title = t(section.titleKey);
  return (
    <Menu opened={open} onChange={setOpen} position="bottom-end" withinPortal>
      <Menu.Target>
        <Tooltip label={title} disabled={open}>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={title} data-testid={`top-${section.id}`}>
            <section.icon size={20} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{title}</Menu.Label>
        <MenuEntries entries={entries} activePath={active} />
      </Menu.Dropdown>
    </Menu>
  );
}
