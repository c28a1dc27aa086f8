import { ActionIcon, CloseButton, Menu } from '@mantine/core';
import { IconChevronDown, IconRefresh, IconX } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import type { KeyboardEvent, MouseEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import { useOpened } from '../opened';
import type { OpenedTab } from '../opened';
import classes from './layout.module.css';
import { titlesOf } from './tabTitles';
import { useClose } from './useClose';
import { useTabStrip } from './useTabStrip';

export function TabStrip(): ReactElement {
  const { t } = useTranslation();
  const { tabs, activeId } = useOpened();
  const [menu, setMenu] = useState(false);
  const strip = useRef<HTMLUListElement>(null);
  const active = tabs.findIndex((tab) => tab.id === activeId);
  const titles = titlesOf(tabs, t);
  useTabStrip(strip, active, tabs.length);

  return (
    <nav className={classes.strip} aria-label={t('base:tabs.label')}>
      <ul className={classes.tabs} ref={strip} data-testid="tab-strip">
        {tabs.map((tab) => (
          <TabItem
            key={tab.id}
            tab={tab}
            title={titles.get(tab.id) ?? ''}
            active={tab.id === activeId}
            onMenu={() => setMenu(true)}
          />
        ))}
      </ul>
      <TabMenu opened={menu} onChange={setMenu} />
    </nav>
  );
}

/** The neighbour's link gets the focus. */
function moveFocus(from: HTMLElement, by: 'previousElementSibling' | 'nextElementSibling'): void {
  from.closest('li')?.[by]?.querySelector('a')?.focus();
}

interface ItemProps {
  tab: OpenedTab;
  title: string;
  active: boolean;
  onMenu: () => void;
}

function TabItem({ tab, title, active, onMenu }: ItemProps): ReactElement {
  const { t } = useTranslation();
  const link = useScreenLink(tab.screen.path, tab.search);
  const { close } = useClose();
  const onContextMenu = (event: MouseEvent): void => {
    event.preventDefault();
    if (!active) document.getElementById(`tab-${tab.id}`)?.click();
    onMenu();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLAnchorElement>): void => {
    if (event.key === 'Delete') {
      const item = event.currentTarget.closest('li');
      const beside = item?.nextElementSibling ?? item?.previousElementSibling;
      void close(tab.id).then((isClosed) => isClosed && beside?.querySelector('a')?.focus());
    } else if (event.key === 'ArrowRight') moveFocus(event.currentTarget, 'nextElementSibling');
    else if (event.key === 'ArrowLeft') moveFocus(event.currentTarget, 'previousElementSibling');
  };
  return (
    <li className={classes.tab} data-active={active}>
      <a
        href={link.href}
        onClick={link.onClick}
        id={`tab-${tab.id}`}
        title={title}
        aria-current={active ? 'page' : undefined}
        onContextMenu={onContextMenu}
        onKeyDown={onKeyDown}
      >
        {title}
      </a>
      <CloseButton
        size={26}
        iconSize={14}
        tabIndex={active ? 0 : -1}
        aria-label={t('base:tabs.closeOne', { title })}
        onClick={() => void close(tab.id)}
      />
    </li>
  );
}

function TabMenu({ opened, onChange }: { opened: boolean; onChange: (opened: boolean) => void }): ReactElement {
  const { t } = useTranslation();
  const activeId = useOpened((state) => state.activeId);
  const { close, closeOthers, closeAll, refresh } = useClose();
  const onActive = (work: (id: string) => Promise<boolean>) => () => {
    if (activeId !== null) void work(activeId);
  };
  return (
    <Menu opened={opened} onChange={onChange} position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" m={4} aria-label={t('base:tabs.actions')} data-testid="tab-actions">
          <IconChevronDown size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconRefresh size={16} />} onClick={onActive(refresh)} data-testid="tab-refresh">
          {t('base:tabs.refresh')}
        </Menu.Item>
        <Menu.Item leftSection={<IconX size={16} />} onClick={onActive(close)} data-testid="tab-close">
          {t('base:tabs.close')}
        </Menu.Item>
        <Menu.Item onClick={onActive(closeOthers)} data-testid="tab-close-others">
          {t('base:tabs.closeOthers')}
        </Menu.Item>
        <Menu.Item onClick={() => void closeAll()} data-testid="tab-close-all">
          {t('base:tabs.closeAll')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
