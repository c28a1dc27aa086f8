import { Button, Menu, Tabs } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import classes from '../monitor.module.css';

interface Props {
  active: string;
  tabs: readonly { name: string; title: string }[];
  onOpen: (name: string) => void;
}

/** Tabs in one line. Where they do not fit the line scrolls, fades out at its edges, and a menu beside it lists them all. */
export function TabStrip({ active, tabs, onOpen }: Props): ReactElement {
  const list = useRef<HTMLDivElement>(null);
  const [more, setMore] = useState({ before: false, behind: false });
  useEffect(() => {
    const strip = list.current;
    if (strip === null) return;
    const look = (): void => {
      const before = strip.scrollLeft > 1;
      const behind = strip.scrollLeft + strip.clientWidth < strip.scrollWidth - 1;
      setMore((known) => (known.before === before && known.behind === behind ? known : { before, behind }));
    };
    const sizes = new ResizeObserver(look);
    sizes.observe(strip);
    for (const tab of strip.children) sizes.observe(tab);
    strip.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      strip.removeEventListener('scroll', look);
    };
  }, []);
  const isCut = more.before || more.behind;
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (list.current === null || tab === null || tab === undefined) return;
    list.current.scrollLeft = tab.offsetLeft + tab.offsetWidth / 2 - list.current.clientWidth / 2;
  }, [active, isCut]);
  return (
    <div className={classes.tabStrip}>
      <Tabs.List
        ref={list}
        className={classes.tabs}
        style={{ flexWrap: 'nowrap' }}
        data-before={more.before || undefined}
        data-behind={more.behind || undefined}
      >
        {tabs.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name} data-testid={`tab-${name}`} style={{ flex: 'none' }}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {more.before || more.behind ? <AllTabs active={active} tabs={tabs} onOpen={onOpen} /> : null}
    </div>
  );
}

function AllTabs({ active, tabs, onOpen }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          className={classes.allTabs}
          rightSection={<IconChevronDown size={14} />}
          data-testid="tabs-all"
        >
          {t('monitor:detail.tabsAll', { count: tabs.length })}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.allTabsList}>
        {tabs.map(({ name, title }) => (
          <Menu.Item
            key={name}
            aria-current={name === active || undefined}
            onClick={() => onOpen(name)}
            data-testid={`tabs-all-${name}`}
          >
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
