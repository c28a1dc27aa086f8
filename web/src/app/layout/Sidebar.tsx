import {
  IconChevronDown,
  IconChevronRight,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
} from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useOpened } from '../opened';
import { Entry } from './Entry';
import classes from './layout.module.css';
import { RailGroup } from './RailGroup';
import { useMenu } from './useMenu';
import type { MenuGroup } from './useMenu';

interface Props {
  rail: boolean;
  /** With the groups that else stand in the top bar. */
  withTop?: boolean;
  onToggle?: (() => void) | undefined;
  onFollow?: () => void;
}

/** The menu: one section open at a time; as a rail, sections are icons that open beside it. */
export function Sidebar({ rail, withTop = false, onToggle, onFollow }: Props): ReactElement {
  const { t } = useTranslation();
  const side = useMenu('side');
  const top = useMenu('top');
  const groups = withTop ? [...side, ...top] : side;
  const active = useOpened((state) => state.tabs.find((tab) => tab.id === state.activeId)?.screen);
  const [chosen, setChosen] = useState<{ open: string; at: string | undefined } | null>(null);
  // A choice holds until another section's page comes in front.
  const open = (chosen?.at === active?.section ? chosen?.open : undefined) ?? active?.section ?? groups[0]?.section.id;
  const Toggle = rail ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;

  return (
    <>
      <ul className={classes.menu}>
        {groups.map((group) => (
          <li key={group.section.id}>
            {rail ? (
              <RailGroup group={group} active={active} />
            ) : (
              <Group
                group={group}
                open={open === group.section.id}
                onToggle={(opened) => setChosen({ open: opened ? group.section.id : '', at: active?.section })}
                activePath={active?.path}
                onFollow={onFollow}
              />
            )}
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

interface GroupProps {
  group: MenuGroup;
  open: boolean;
  onToggle: (open: boolean) => void;
  activePath: string | undefined;
  onFollow: (() => void) | undefined;
}

/** A section with a single entry is that entry. */
function Group({ group: { section, entries }, open, onToggle, activePath, onFollow }: GroupProps): ReactElement {
  const { t } = useTranslation();
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) {
    return <Entry screen={only} icon={section.icon} active={only.path === activePath} onFollow={onFollow} />;
  }
  const Chevron = open ? IconChevronDown : IconChevronRight;
  return (
    <>
      <button
        type="button"
        className={classes.sectionButton}
        aria-expanded={open}
        onClick={() => onToggle(!open)}
        data-testid={`section-${section.id}`}
      >
        <section.icon size={18} stroke={1.6} />
        {t(section.titleKey)}
        <Chevron size={14} />
      </button>
      {open ? (
        <ul className={classes.menu}>
          {entries.map((screen) => (
            <li key={screen.path}>
              <Entry screen={screen} active={screen.path === activePath} onFollow={onFollow} />
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}
