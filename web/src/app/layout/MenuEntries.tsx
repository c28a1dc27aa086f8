import { Menu } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Screen } from '@/lib/screens';
import classes from './layout.module.css';
import { useEntry } from './useEntry';

/** A section's entries inside a menu that drops down. */
export function MenuEntries({
  entries,
  activePath,
}: {
  entries: readonly Screen[];
  activePath?: string | undefined;
}): ReactElement {
  return (
    <>
      {entries.map((screen) => (
        <MenuEntry key={screen.path} screen={screen} active={screen.path === activePath} />
      ))}
    </>
  );
}

function MenuEntry({ screen, active }: { screen: Screen; active: boolean }): ReactElement {
  const { t } = useTranslation();
  const link = useEntry(screen);
  return (
    <Menu.Item
      component="a"
      {...link}
      className={classes.menuEntry}
      aria-current={active ? 'page' : undefined}
      data-pending={screen.pending === true || undefined}
      rightSection={
        screen.external === undefined ? null : (
          <IconExternalLink size={14} aria-label={t('base:menu.outside')} role="img" />
        )
      }
    >
      {t(screen.titleKey)}
    </Menu.Item>
  );
}
