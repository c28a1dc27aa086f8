import { IconFolder, IconPlug, IconRouter, IconUser, IconWaveSine } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useGo } from '@/lib/navigation';
import { ranked } from '@/lib/palette';
import { mayOpen, parseSearch, screenAt } from '@/lib/screens';
import type { Icon } from '@/lib/screens';
import { useAccess, useSession } from '@/lib/session';
import { keepRecent, recentOf } from './recent';
import type { Recent } from './recent';
import { useChoices } from './useChoices';
import type { LocalChoice } from './useChoices';
import { useSearchResults } from './useSearchResults';

export interface Command {
  id: string;
  title: string;
  detail: string;
  icon?: Icon;
  run: () => void;
}

export interface CommandGroup {
  id: string;
  title: string;
  commands: readonly Command[];
  /** There are others that are not shown. */
  more?: boolean;
}

const ICONS: Readonly<Record<string, Icon>> = {
  devices: IconRouter,
  slaves: IconPlug,
  points: IconWaveSine,
  projects: IconFolder,
  users: IconUser,
};

interface Groups {
  groups: readonly CommandGroup[];
  isWaiting: boolean;
  failed: boolean;
}

/** What fits to a query, by kind: screens and actions at once, things of the cloud a little later and below, so that nothing moves. */
export function useGroups(query: string): Groups {
  const { t } = useTranslation();
  const go = useGo();
  const access = useAccess();
  const userId = useSession((state) => state.user?.id ?? 0);
  const [recent] = useState(() => recentOf(userId));
  const local = ranked(useChoices(), query) as LocalChoice[];
  const { kinds, isWaiting, error } = useSearchResults(query);

  const ofThing = (entry: Recent): Command => ({
    id: entry.id,
    title: entry.title,
    detail: entry.detail,
    icon: ICONS[entry.kind],
    run: () => {
      keepRecent(userId, entry);
      const [path = '', search = ''] = entry.href.split('?');
      go(path, parseSearch(search));
    },
  });
  const mayFollow = ({ href }: Recent): boolean => {
    const screen = screenAt(href.split('?')[0] ?? '');
    return screen !== undefined && mayOpen(screen, access);
  };
  const ofKind = (kind: LocalChoice['kind']): CommandGroup => ({
    id: kind,
    title: t(`base:palette.kind.${kind}`),
    commands: local
      .filter((choice) => choice.kind === kind)
      .map(({ id, title, group, icon, run }) => ({ id, title, detail: group, icon, run })),
  });
  const groups: CommandGroup[] = [
    ...(query.trim() === ''
      ? [{ id: 'recent', title: t('base:palette.kind.recent'), commands: recent.filter(mayFollow).map(ofThing) }]
      : []),
    ofKind('tabs'),
    ofKind('screens'),
    ofKind('actions'),
    ...kinds.map(({ kind, entries, more }) => ({
      id: kind,
      title: t(`base:palette.kind.${kind}`),
      more,
      commands: entries.map(ofThing),
    })),
  ];
  return { groups: groups.filter(({ commands }) => commands.length > 0), isWaiting, failed: error !== null };
}
