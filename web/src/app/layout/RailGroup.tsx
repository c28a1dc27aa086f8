import { Menu, Tooltip } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Screen } from '@/lib/screens';
import classes from './layout.module.css';
import { MenuEntries } from './MenuEntries';
import type { MenuGroup } from './useMenu';

/** A section of the rail: its icon, with the entries beside it. */
export function RailGroup({ group, active }: { group: MenuGroup; active: Screen | undefined }): ReactElement {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const { section, entries } = group;
  const title = t(section.titleKey);
  return (
    <Menu opened={open} onChange={setOpen} position="right-start" withinPortal>
      <Menu.Target>
        <Tooltip label={title} position="right" disabled={open}>
          <button
            type="button"
            className={classes.railButton}
            aria-label={title}
            data-active={active?.section === section.id || undefined}
            data-testid={`section-${section.id}`}
          >
            <section.icon size={20} stroke={1.6} />
          </button>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{title}</Menu.Label>
        <MenuEntries entries={entries} activePath={active?.path} />
      </Menu.Dropdown>
    </Menu>
  );
}
