import { ActionIcon, Tooltip } from '@mantine/core';
import { IconArrowBack } from '@tabler/icons-react';
import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenLink } from '@/lib/navigation';
import { screenAt } from '@/lib/screens';
import type { SearchValues } from '@/lib/screens';
import { queryClient } from '../queryClient';
import { Clock } from './Clock';
import { ConnectionBanner } from './ConnectionBanner';
import { DeviceJump } from './DeviceJump';
import { ErrorLogButton } from './ErrorLogButton';
import { ExpiredDialog } from './ExpiredDialog';
import classes from './fullscreen.module.css';
import { FullscreenToggle } from './FullscreenToggle';
import { NotificationSlot } from './NotificationSlot';
import { useAskLeave } from './useAskLeave';
import { useSavedColumns } from './useSavedColumns';
import { useKeepFresh } from './useKeepFresh';
import { useLiveWhileSignedIn } from './useLiveWhileSignedIn';
import { useTitle } from './useTitle';
import { WallPage } from './WallPage';

const REFRESHED_PATH = '/monitorScreen';

/** Queries belong to the layouts: the sign-in page is quicker without them. */
export default function FullscreenLayout(): ReactElement {
  return (
    <QueryClientProvider client={queryClient}>
      <Wall />
    </QueryClientProvider>
  );
}

/** A wall screen: one page, with a clock and no menus. */
function Wall(): ReactElement {
  const { t } = useTranslation();
  const location = useRouterState({ select: (state) => state.resolvedLocation ?? state.location });
  const screen = screenAt(location.pathname);
  const exit = useScreenLink('/');
  const title = useTitle();
  const question = useAskLeave(() => '');
  useLiveWhileSignedIn();
  useSavedColumns();
  useKeepFresh(location.pathname.startsWith(REFRESHED_PATH));
  return (
    <div className={classes.wall}>
      <header className={classes.bar}>
        <span className={classes.title} data-testid="platform-title">
          {title}
        </span>
        <Clock />
        <div className={classes.tools}>
          <ErrorLogButton />
          <DeviceJump path={location.pathname} />
          <NotificationSlot />
          <FullscreenToggle />
          <Tooltip label={t('base:wall.exit')}>
            <ActionIcon
              component="a"
              {...exit}
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={t('base:wall.exit')}
              data-testid="wall-exit"
            >
              <IconArrowBack size={20} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        </div>
      </header>
      <main className={classes.main}>
        <ConnectionBanner />
        {screen === undefined ? null : (
          <WallPage
            key={location.pathname}
            screen={screen}
            path={location.pathname}
            search={location.search as SearchValues}
          />
        )}
        <Outlet />
      </main>
      <ExpiredDialog />
      {question}
    </div>
  );
}
