import { ActionIcon, CloseButton, Menu } from '@mantine/core';
import { IconChevronDown, IconRefresh, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { MouseEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useGo, useScreenLink } from '@/lib/navigation';
import { useOpened } from '../opened';
import type { OpenedTab } from '../opened';
import classes from './layout.module.css';

/** The wheel moves the strip by this part of its own step. */
const WHEEL_PART = 0.25;

export function TabStrip(): ReactElement {
  const { t } = useTranslation();
  const { tabs, activeId } = useOpened();
  const [menu, setMenu] = useState(false);
  const strip = useRef<HTMLUListElement>(null);

  useEffect(() => {
    const list = strip.current;
    if (list === null) return undefined;
    const onWheel = (event: WheelEvent): void => {
      if (event.deltaY === 0 || list.scrollWidth <= list.clientWidth) return;
      event.preventDefault();
      list.scrollLeft += event.deltaY * WHEEL_PART;
    };
    list.addEventListener('wheel', onWheel, { passive: false });
    return () => list.removeEventListener('wheel', onWheel);
  }, []);

  useEffect(() => {
    strip.current?.querySelector('[data-active="true"]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [activeId, tabs.length]);

  return (
    <nav className={classes.strip} aria-label={t('base:tabs.label')}>
      <ul className={classes.tabs} ref={strip}>
        {tabs.map((tab) => (
          <TabItem key={tab.id} tab={tab} active={tab.id === activeId} onMenu={() => setMenu(true)} />
        ))}
      </ul>
      <TabMenu opened={menu} onChange={setMenu} />
    </nav>
  );
}

function TabItem({ tab, active, onMenu }: { tab: OpenedTab; active: boolean; onMenu: () => void }): ReactElement {
  const { t } = useTranslation();
  const link = useScreenLink(tab.screen.path, tab.search);
  const closeTab = useClose();
  const title = tab.detail || t(tab.screen.titleKey);
  const onContextMenu = (event: MouseEvent): void => {
    event.preventDefault();
    if (!active) link.onClick(event);
    onMenu();
  };
  return (
    <li className={classes.tab} data-active={active}>
      <a {...link} title={title} aria-current={active ? 'page' : undefined} onContextMenu={onContextMenu}>
        {title}
      </a>
      <CloseButton size={26} iconSize={14} aria-label={t('base:tabs.closeOne', { title })} onClick={() => closeTab(tab.id)} />
    </li>
  );
}

function TabMenu({ opened, onChange }: { opened: boolean; onChange: (opened: boolean) => void }): ReactElement {
  const { t } = useTranslation();
  const { activeId, refresh, closeOthers, reset } = useOpened();
  const closeTab = useClose();
  const go = useGo();
  const onActive = (work: (id: string) => void) => () => {
    if (activeId !== null) work(activeId);
  };
  return (
    <Menu opened={opened} onChange={onChange} position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" m={4} aria-label={t('base:tabs.actions')}>
          <IconChevronDown size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconRefresh size={16} />} onClick={onActive(refresh)}>
          {t('base:tabs.refresh')}
        </Menu.Item>
        <Menu.Item leftSection={<IconX size={16} />} onClick={onActive(closeTab)}>
          {t('base:tabs.close')}
        </Menu.Item>
        <Menu.Item onClick={onActive(closeOthers)}>{t('base:tabs.closeOthers')}</Menu.Item>
        <Menu.Item
          onClick={() => {
            reset();
            go('/');
          }}
        >
          {t('base:tabs.closeAll')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Close a page; when it was in front, its neighbour comes forward, and without one the landing page. */
function useClose(): (id: string) => void {
  const go = useGo();
  return (id) => {
    const { tabs, activeId, close } = useOpened.getState();
    const at = tabs.findIndex((tab) => tab.id === id);
    const next = tabs[at + 1] ?? tabs[at - 1];
    close(id);
    if (id !== activeId) return;
    if (next === undefined) go('/');
    else go(next.screen.path, next.search);
  };
}
