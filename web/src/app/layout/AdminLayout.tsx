import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Outlet } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { freshToken } from '@/api/http';
import { startLive } from '@/lib/live';
import { usePreferences } from '@/lib/preferences';
import { useSession } from '@/lib/session';
import { BackToTop } from './BackToTop';
import { ConnectionBanner } from './ConnectionBanner';
import { ExpiredDialog } from './ExpiredDialog';
import classes from './layout.module.css';
import { Sidebar } from './Sidebar';
import { TabHost } from './TabHost';
import { TabStrip } from './TabStrip';
import { TopBar } from './TopBar';

/** Narrower than this (less the scroll bar) the sidebar is a rail of icons; on phones it is a drawer. */
const RAIL_BELOW = '(max-width: 1021px)';
const PHONE = '(max-width: 767px)';

export default function AdminLayout(): ReactElement {
  const { t } = useTranslation();
  const narrow = useMediaQuery(RAIL_BELOW, false, { getInitialValueInEffect: false });
  const phone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const { sidebarCollapsed, setSidebarCollapsed } = usePreferences();
  const [drawer, setDrawer] = useState(false);
  const rail = narrow || sidebarCollapsed;
  useLiveWhileSignedIn();

  return (
    <div className={classes.shell} data-rail={rail && !phone}>
      <a className="skip-link" href="#content">
        {t('base:skipToContent')}
      </a>
      <TopBar onMenu={phone ? () => setDrawer(true) : null} />
      {phone ? (
        <Drawer opened={drawer} onClose={() => setDrawer(false)} position="left" size={264} title={t('base:product')}>
          <Sidebar rail={false} onFollow={() => setDrawer(false)} />
        </Drawer>
      ) : (
        <nav className={classes.nav} aria-label={t('base:menu.label')}>
          <Sidebar rail={rail} onToggle={narrow ? undefined : () => setSidebarCollapsed(!sidebarCollapsed)} />
        </nav>
      )}
      <main className={classes.main} id="content" tabIndex={-1}>
        <ConnectionBanner />
        <TabStrip />
        <TabHost />
        <Outlet />
      </main>
      <BackToTop />
      <ExpiredDialog />
    </div>
  );
}

/** The live connection stands while somebody is signed in; a sign-out in another tab ends this page too. */
function useLiveWhileSignedIn(): void {
  const signedIn = useSession((state) => state.tokens !== null);
  useEffect(() => {
    if (signedIn) return startLive(freshToken);
    window.location.assign('/login');
    return undefined;
  }, [signedIn]);
}
