import {
  createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect,
} from '@tanstack/react-router';
import { ApiError, CODE } from '@/api/errors';
import { showError } from '@/components/notices';
import { landingPath, mayOpen, parseSearch, stringifySearch } from '@/lib/screens';
import type { Access, Screen } from '@/lib/screens';
import { forgetSession, session } from '@/lib/session';
import { PageError } from './layout/PageError';
import { screens } from './manifest';
import { loadUser } from './signIn';

interface Place {
  location: { href: string };
}

/** Signed in and known, else to the sign-in page with the way back. */
async function requireUser({ location }: Place): Promise<Access> {
  const toLogin = { to: '/login', search: { redirect: location.href }, replace: true } as never;
  if (session.getState().tokens === null) throw redirect(toLogin);
  try {
    await loadUser();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.facts.cause !== 'reply') throw error; // no connection is no reason to sign out
    forgetSession();
    if (error.facts.code !== CODE.SESSION_EXPIRED) showError(error);
    throw redirect(toLogin);
  }
  const { user, permissions } = session.getState();
  return { userType: user?.type ?? -1, permissions };
}

async function guard(screen: Screen, place: Place): Promise<void> {
  if (screen.layout === 'public') return;
  if (!mayOpen(screen, await requireUser(place))) throw redirect({ to: '/401', replace: true } as never);
}

async function toLanding(place: Place): Promise<never> {
  const path = landingPath(screens, await requireUser(place));
  throw redirect({ to: path ?? '/401', replace: true } as never);
}

const root = createRootRoute({ component: Outlet, errorComponent: PageError });
const admin = createRoute({
  getParentRoute: () => root,
  id: 'admin',
  component: lazyRouteComponent(() => import('./layout/AdminLayout')),
});
const keepAll = (search: Record<string, unknown>): Record<string, unknown> => search;

const publicRoutes = screens
  .filter((screen) => screen.layout === 'public')
  .map((screen) =>
    createRoute({
      getParentRoute: () => root,
      path: screen.path,
      validateSearch: keepAll,
      component: lazyRouteComponent(screen.load),
    }),
  );

/** Pages of the admin layout are drawn by its tab host, which keeps them alive. */
const adminRoutes = screens
  .filter((screen) => screen.layout === 'admin')
  .map((screen) =>
    createRoute({
      getParentRoute: () => admin,
      path: screen.path,
      validateSearch: keepAll,
      beforeLoad: (context) => guard(screen, context),
      component: () => null,
    }),
  );

const landing = createRoute({ getParentRoute: () => root, path: '/', beforeLoad: toLanding });
/** Other programs hand a user over to this address; where to go stands in 'redirect'. */
const handOver = createRoute({
  getParentRoute: () => root,
  path: '/auth-redirect',
  validateSearch: keepAll,
  beforeLoad: ({ search }) => {
    const { redirect: target } = search as { redirect?: string };
    throw redirect({ href: isInside(target) ? target : '/', replace: true } as never);
  },
});
const reload = createRoute({
  getParentRoute: () => root,
  path: '/redirect/$',
  validateSearch: keepAll,
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: `/${(params as { _splat?: string })._splat ?? ''}`, search, replace: true } as never);
  },
});
/** The address stays as it is, so that it can be mended. */
const unknown = createRoute({
  getParentRoute: () => root,
  path: '$',
  component: lazyRouteComponent(() => import('@/features/session/screens/NotFound')),
});

/** Only addresses of this portal are followed. */
export function isInside(target: string | undefined): target is string {
  return target !== undefined && /^\/(?![/\\])/.test(target);
}

export const router = createRouter({
  routeTree: root.addChildren([landing, handOver, reload, unknown, ...publicRoutes, admin.addChildren(adminRoutes)]),
  parseSearch: (text) => parseSearch(text),
  stringifySearch,
  defaultPreload: false,
  defaultErrorComponent: PageError,
  scrollRestoration: false,
});
