import { Tooltip } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { MouseEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import { menuOf } from '@/lib/screens';
import type { Screen } from '@/lib/screens';
import { useSession } from '@/lib/session';
import { screens, sections } from '../manifest';
import { useOpened } from '../opened';
import classes from './layout.module.css';

interface Props {
  rail: boolean;
  onToggle?: (() => void) | undefined;
  onFollow?: () => void;
}

export function Sidebar({ rail, onToggle, onFollow }: Props): ReactElement {
  const { t } = useTranslation();
  const user = useSession((state) => state.user);
  const permissions = useSession((state) => state.permissions);
  const menu = useMemo(() => menuOf(screens, { userType: user?.type ?? -1, permissions }), [user, permissions]);
  const active = useOpened((state) => state.tabs.find((tab) => tab.id === state.activeId)?.screen);
  const [chosen, setChosen] = useState<string | null>(null);
  const open = chosen ?? active?.section ?? sections[0]?.id ?? '';
  const Toggle = rail ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;

  return (
    <>
      <ul className={`${classes.menu} ${rail ? classes.rail : ''}`}>
        {sections
          .filter((section) => menu.has(section.id))
          .map((section) => (
            <li key={section.id}>
              {rail ? null : (
                <button
                  type="button"
                  className={classes.sectionButton}
                  aria-expanded={open === section.id}
                  onClick={() => setChosen(open === section.id ? '' : section.id)}
                >
                  <section.icon size={18} stroke={1.6} />
                  {t(section.titleKey)}
                  {open === section.id ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
                </button>
              )}
              {rail || open === section.id ? (
                <ul className={classes.menu}>
                  {menu.get(section.id)?.map((screen) => (
                    <li key={screen.path}>
                      <Item screen={screen} rail={rail} active={screen === active} onFollow={onFollow} />
                    </li>
                  ))}
                </ul>
              ) : null}
            </li>
          ))}
      </ul>
      {onToggle === undefined ? null : (
        <button
          type="button"
          className={classes.sectionButton}
          onClick={onToggle}
          aria-label={t(rail ? 'base:menu.expand' : 'base:menu.collapse')}
        >
          <Toggle size={18} stroke={1.6} />
        </button>
      )}
    </>
  );
}

interface ItemProps {
  screen: Screen;
  rail: boolean;
  active: boolean;
  onFollow: (() => void) | undefined;
}

function Item({ screen, rail, active, onFollow }: ItemProps): ReactElement {
  const { t } = useTranslation();
  const link = useScreenLink(screen.path);
  const title = t(screen.titleKey);
  const follow = (event: MouseEvent): void => {
    link.onClick(event);
    onFollow?.();
  };
  return (
    <Tooltip label={title} position="right" disabled={!rail}>
      <a
        className={classes.item}
        href={link.href}
        onClick={follow}
        aria-current={active ? 'page' : undefined}
        aria-label={rail ? title : undefined}
      >
        {rail ? <screen.icon size={20} stroke={1.6} /> : title}
      </a>
    </Tooltip>
  );
}
