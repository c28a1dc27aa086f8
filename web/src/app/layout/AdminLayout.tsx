import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { SchemeSwitch } from '@/components/SchemeSwitch';
import { usePreferences } from '@/lib/preferences';
import { queryClient } from '../queryClient';
import { BackToTop } from './BackToTop';
import { ConnectionBanner } from './ConnectionBanner';
import { ExpiredDialog } from './ExpiredDialog';
import classes from './layout.module.css';
import { Sidebar } from './Sidebar';
import { TabHost } from './TabHost';
import { TabStrip } from './TabStrip';
import { LanguageSelector, TopBar } from './TopBar';
import { useLiveWhileSignedIn } from './useLiveWhileSignedIn';
import { useKeptSize } from './useSize';
import { useTitle } from './useTitle';
import { PHONE, RAIL } from './widths';

/** Queries belong to the layouts: the sign-in page is quicker without them. */
export default function AdminLayout(): ReactElement {
  return (
    <QueryClientProvider client={queryClient}>
      <Shell />
    </QueryClientProvider>
  );
}

function Shell(): ReactElement {
  const { t } = useTranslation();
  const narrow = useMediaQuery(RAIL, false, { getInitialValueInEffect: false });
  const phone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const { sidebarCollapsed, setSidebarCollapsed } = usePreferences();
  const [drawer, setDrawer] = useState(false);
  const title = useTitle();
  const rail = narrow || sidebarCollapsed;
  useLiveWhileSignedIn();
  useKeptSize();

  return (
    <div className={classes.shell} data-rail={rail && !phone}>
      <a className="skip-link" href="#content">
        {t('base:skipToContent')}
      </a>
      <TopBar phone={phone} onMenu={() => setDrawer(true)} />
      {phone ? (
        <Drawer opened={drawer} onClose={() => setDrawer(false)} position="left" size={280} title={title}>
          <Sidebar rail={false} withTop onFollow={() => setDrawer(false)} />
          <div className={classes.drawerTools}>
            <SchemeSwitch />
            <LanguageSelector />
          </div>
        </Drawer>
      ) : (
        <nav className={classes.nav} aria-label={t('base:menu.label')} data-testid="sidebar">
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
