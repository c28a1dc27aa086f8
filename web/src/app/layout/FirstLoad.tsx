import { useMediaQuery } from '@mantine/hooks';
import { useRouterState } from '@tanstack/react-router';
import type { AnyRouter } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { PageSkeleton } from '@/components/PageSkeleton';
import { usePreferences } from '@/lib/preferences';
import { useSession } from '@/lib/session';
import classes from './layout.module.css';
import { PHONE, RAIL } from './widths';

interface Props {
  router: AnyRouter;
  /** Addresses of pages that have no frame. */
  bare: ReadonlySet<string>;
}

/** The frame of a page until the cloud has said whose it is. It lies above, so that nothing moves when the page is there. */
export function FirstLoad({ router, bare }: Props): ReactElement | null {
  const isWaiting = useRouterState({ router, select: ({ resolvedLocation }) => resolvedLocation === undefined });
  const path = useRouterState({ router, select: ({ location }) => location.pathname });
  const isSignedIn = useSession(({ tokens }) => tokens !== null);
  if (!isWaiting || !isSignedIn) return null;
  return (
    <div className={classes.first} data-testid="first-load">
      {bare.has(path) ? <PageSkeleton /> : <Frame />}
    </div>
  );
}

function Frame(): ReactElement {
  const isNarrow = useMediaQuery(RAIL, false, { getInitialValueInEffect: false });
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const { sidebarCollapsed } = usePreferences();
  return (
    <div className={classes.shell} data-rail={(isNarrow || sidebarCollapsed) && !isPhone}>
      <div className={classes.header} />
      {isPhone ? null : <div className={classes.nav} />}
      <div className={classes.main}>
        <div className={classes.strip} />
        <PageSkeleton />
      </div>
    </div>
  );
}
