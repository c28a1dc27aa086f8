import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useLayoutEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { SchemeSwitch } from '@/components/SchemeSwitch';
import { usePreferences } from '@/lib/preferences';
import { useAccess, useSession } from '@/lib/session';
import { keepTabs } from '../savedTabs';
import { useOpened } from '../opened';
import { queryClient } from '../queryClient';
import { BackToTop } from './BackToTop';
import { ConnectionBanner } from './ConnectionBanner';
import { ExpiredDialog } from './ExpiredDialog';
import classes from './layout.module.css';
import { QuickList } from './QuickEntries';
import { Sidebar } from './Sidebar';
import { TabHost } from './TabHost';
import { TabStrip } from './TabStrip';
import { titlesOf } from './tabTitles';
import { LanguageSelector, TopBar } from './TopBar';
import { useAskLeave } from './useAskLeave';
import { useLiveWhileSignedIn } from './useLiveWhileSignedIn';
import { useSavedColumns } from './useSavedColumns';
import { useSavedSize } from './useSize';
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
  const question = useAskLeave((tab) => titlesOf(useOpened.getState().tabs, t).get(tab) ?? '');
  useLiveWhileSignedIn();
  useSavedSize();
  useSavedColumns();
  useSavedTabs();

  return (
    <div className={classes.shell} data-rail={rail && !phone}>
      <a className="skip-link" href="#content">
        {t('base:skipToContent')}
      </a>
      <TopBar phone={phone} onMenu={() => setDrawer(true)} />
      {phone ? (
        <Drawer opened={drawer} onClose={() => setDrawer(false)} position="left" size={280} title={title}>
          <Sidebar rail={false} withTop onFollow={() => setDrawer(false)} />
          <QuickList onFollow={() => setDrawer(false)} />
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
      {question}
    </div>
  );
}

/** A reload finds the tabs of this window again, as far as their user may still open them. */
function useSavedTabs(): void {
  const user = useSession((state) => state.user?.id ?? null);
  const access = useAccess();
  useLayoutEffect(() => (user === null ? undefined : keepTabs(user, access)), [user, access]);
}
