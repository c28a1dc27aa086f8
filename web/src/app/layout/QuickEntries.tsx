import { ActionIcon, Menu } from '@mantine/core';
import { IconExternalLink, IconGridDots, IconLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { MouseEvent, ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { getQuickEntries } from '@/api/platform';
import { QUICK_ICONS } from '@/components/quickIcons';
import { useScreenLink } from '@/lib/navigation';
import { isOwnPicture } from '@/lib/brand';
import { isScreen, keysOf } from '@/lib/quickEntries';
import type { QuickEntry } from '@/lib/quickEntries';
import { parseSearch } from '@/lib/screens';
import classes from './layout.module.css';

/** Query of the user's quick entries; who changes them invalidates it. */
export const QUICK_ENTRIES = ['option', 'user_config'] as const;
/** So many stand in the bar; the rest is in a menu. */
const IN_BAR = 4;

const useEntries = () => useQuery({ queryKey: QUICK_ENTRIES, queryFn: getQuickEntries, staleTime: Infinity });

/** On a phone, where the bar has no place for them: all of them in the drawer of the menu. */
export function QuickList({ onFollow }: { onFollow: () => void }): ReactElement | null {
  const { t } = useTranslation();
  const { data } = useEntries();
  if (data === undefined || data.length === 0) return null;
  const keys = keysOf(data);
  return (
    <nav className={classes.quickList} aria-label={t('base:quick.label')} data-testid="quick-list">
      <div className={classes.quickTitle} aria-hidden>
        {t('base:quick.label')}
      </div>
      {data.map((entry, at) => (
        <QuickButton key={keys[at]} entry={entry} onFollow={onFollow} />
      ))}
    </nav>
  );
}

export function QuickEntries(): ReactElement | null {
  const { t } = useTranslation();
  const { data } = useEntries();
  if (data === undefined || data.length === 0) return null;
  const rest = data.slice(IN_BAR);
  const keys = keysOf(data);
  return (
    <nav className={classes.quick} aria-label={t('base:quick.label')} data-testid="quick-entries">
      {data.slice(0, IN_BAR).map((entry, at) => (
        <QuickButton key={keys[at]} entry={entry} />
      ))}
      {data.length > IN_BAR ? <More entries={rest} /> : null}
    </nav>
  );
}

interface Link {
  href: string;
  onClick?: (event: MouseEvent) => void;
  target?: '_blank';
  rel?: string;
}

function useLink(entry: QuickEntry): Link {
  const [path = '', query = ''] = entry.url.split('?');
  const inside = useScreenLink(path, parseSearch(query));
  if (isScreen(entry)) return inside;
  return entry.newWindow ? { href: entry.url, target: '_blank', rel: 'noopener noreferrer' } : { href: entry.url };
}

function QuickIcon({ icon }: { icon: string }): ReactElement {
  if (isOwnPicture(icon)) return <img src={icon} alt="" width={18} height={18} />;
  const Named = QUICK_ICONS[icon] ?? IconLink;
  return <Named size={18} stroke={1.6} aria-hidden />;
}

function QuickButton({ entry, onFollow }: { entry: QuickEntry; onFollow?: () => void }): ReactElement {
  const link = useLink(entry);
  const follow = (event: MouseEvent): void => {
    link.onClick?.(event);
    onFollow?.();
  };
  return (
    <a
      className={classes.quickButton}
      href={link.href}
      target={link.target}
      rel={link.rel}
      onClick={follow}
      title={entry.text}
    >
      <QuickIcon icon={entry.icon} />
      <span>{entry.text}</span>
    </a>
  );
}

function More({ entries }: { entries: readonly QuickEntry[] }): ReactElement {
  const { t } = useTranslation();
  const keys = keysOf(entries);
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('base:quick.more')}>
          <IconGridDots size={18} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {entries.map((entry, at) => (
          <MoreItem key={keys[at]} entry={entry} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function MoreItem({ entry }: { entry: QuickEntry }): ReactElement {
  return (
    <Menu.Item
      component="a"
      {...useLink(entry)}
      leftSection={<QuickIcon icon={entry.icon} />}
      rightSection={entry.newWindow ? <IconExternalLink size={14} /> : null}
    >
      {entry.text}
    </Menu.Item>
  );
}
