import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import { mayOpen, screenAt } from '@/lib/screens';
import { useAccess } from '@/lib/session';
import { filterSearch, MONITOR_SCREENS } from './monitorFilters';
import type { MonitorFilters } from './monitorFilters';
import classes from './monitorSwitch.module.css';

interface Props {
  /** Path of the screen that shows it. */
  at: (typeof MONITOR_SCREENS)[number];
  filters: MonitorFilters;
}

/** From devices to their points and to the map, with the same filters. Not drawn for who may open one of them alone. */
export function MonitorSwitch({ at, filters }: Props): ReactElement | null {
  const { t } = useTranslation();
  const access = useAccess();
  const open = MONITOR_SCREENS.filter((path) => {
    const screen = screenAt(path);
    return screen !== undefined && mayOpen(screen, access);
  });
  if (open.length < 2) return null;
  return (
    <nav className={classes.switch} aria-label={t('base:monitor.switch')} data-testid="monitor-switch">
      {open.map((path) => (
        <Way key={path} path={path} isHere={path === at} filters={filters} />
      ))}
    </nav>
  );
}

function Way({ path, isHere, filters }: { path: Props['at']; isHere: boolean; filters: MonitorFilters }): ReactElement {
  const { t } = useTranslation();
  const link = useScreenLink(path, filterSearch(filters));
  return (
    <a {...link} aria-current={isHere ? 'page' : undefined} data-to={path}>
      {t(`base:monitor.as.${path.slice(path.lastIndexOf('/') + 1)}`)}
    </a>
  );
}
