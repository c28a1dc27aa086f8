import { ActionIcon, Tabs } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from '../monitor.module.css';

/** Part of what is in view that a step goes on by. */
const STEP = 0.7;

/** Tabs in one line. Those that do not fit scroll sideways: arrows say that there are more; the active one stands in the middle. */
export function TabStrip({ active, children }: { active: string; children: ReactNode }): ReactElement {
  const { t } = useTranslation();
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
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (list.current === null || tab === null || tab === undefined) return;
    list.current.scrollLeft = tab.offsetLeft + tab.offsetWidth / 2 - list.current.clientWidth / 2;
  }, [active]);
  const step = (way: 1 | -1): void => list.current?.scrollBy({ left: way * list.current.clientWidth * STEP });
  // With the keyboard the arrow keys reach every tab.
  const arrow = (way: 1 | -1): ReactElement => (
    <ActionIcon
      variant="default"
      size={28}
      className={classes.tabArrow}
      data-way={way}
      tabIndex={-1}
      onClick={() => step(way)}
      aria-label={t(way === 1 ? 'monitor:detail.tabsBehind' : 'monitor:detail.tabsBefore')}
      data-testid={way === 1 ? 'tabs-behind' : 'tabs-before'}
    >
      {way === 1 ? <IconChevronRight size={16} /> : <IconChevronLeft size={16} />}
    </ActionIcon>
  );
  return (
    <div className={classes.tabStrip}>
      {more.before ? arrow(-1) : null}
      <Tabs.List ref={list} className={classes.tabs} style={{ flexWrap: 'nowrap' }}>
        {children}
      </Tabs.List>
      {more.behind ? arrow(1) : null}
    </div>
  );
}
