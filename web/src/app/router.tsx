import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import i18next from 'i18next';
import { showNotice } from '@/components/notices';
import { isInside } from '@/lib/navigation';
import { isConcealed, landingPath, mayOpen, parseSearch, stringifySearch } from '@/lib/screens';
import type { Access, Screen } from '@/lib/screens';
import { accessOf, isOtaHost, session } from '@/lib/session';
import { PageError } from './layout/PageError';
import { screens } from './manifest';
import { isRefusal, loadUser, refused } from './signIn';

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
    if (!isRefusal(error)) throw error; // no connection or a broken server is no reason to sign out
    refused(error);
    throw redirect(toLogin);
  }
  return accessOf(session.getState());
}

/** Who may not is told which address it was, so that the page can say why. */
async function guard(screen: Screen, place: Place): Promise<void> {
  if (screen.layout === 'public') return;
  const access = await requireUser(place);
  if (isConcealed(screen, access)) await toUnknown(place, screen.path);
  const search = { from: screen.path };
  if (!mayOpen(screen, access)) throw redirect({ to: '/401', search, replace: true } as never);
}

async function toLanding(place: Place): Promise<never> {
  const path = landingPath(screens, await requireUser(place), isOtaHost(session.getState()));
  throw redirect({ to: path ?? '/401', replace: true } as never);
}

/** The landing page, as specified, but not silently: whoever typed an address is told that it leads nowhere. */
async function toUnknown(place: Place, path: string): Promise<never> {
  showNotice(i18next.t('session:notFound.told', { path }));
  return toLanding(place);
}

/** Before the frame too: without a user it is not drawn, and whatever hinders him is told once, in its place. */
const knowsUser = async (place: Place): Promise<void> => void (await requireUser(place));

const root = createRootRoute({ component: Outlet, errorComponent: PageError });
const admin = createRoute({
  getParentRoute: () => root,
  id: 'admin',
  beforeLoad: knowsUser,
  component: lazyRouteComponent(() => import('./layout/AdminLayout')),
});
const fullscreen = createRoute({
  getParentRoute: () => root,
  id: 'fullscreen',
  beforeLoad: knowsUser,
  component: lazyRouteComponent(() => import('./layout/FullscreenLayout')),
});
const keepAll = (search: Record<string, unknown>): Record<string, unknown> => search;
const addresses = (layout: Screen['layout']): { screen: Screen; path: string }[] =>
  screens
    .filter((screen) => screen.layout === layout)
    .flatMap((screen) => [screen.path, ...(screen.aliases ?? [])].map((path) => ({ screen, path })));

const publicRoutes = addresses('public').map(({ screen, path }) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: keepAll,
    component: lazyRouteComponent(screen.load),
  }),
);

/** Pages of the two layouts are drawn by these: the tab host keeps its pages alive, the wall shows one. */
const inside = (parent: typeof admin | typeof fullscreen, layout: Screen['layout']) =>
  addresses(layout).map(({ screen, path }) =>
    createRoute({
      getParentRoute: () => parent as typeof admin,
      path,
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
    const target = `/${(params as { _splat?: string })._splat ?? ''}`;
    throw redirect({ to: isInside(target) ? target : '/', search, replace: true } as never);
  },
});
const unknown = createRoute({
  getParentRoute: () => root,
  path: '$',
  beforeLoad: async (place) => {
    await requireUser(place);
    await toUnknown(place, place.location.pathname);
  },
});

export const router = createRouter({
  routeTree: root.addChildren([
    landing,
    handOver,
    reload,
    unknown,
    ...publicRoutes,
    admin.addChildren(inside(admin, 'admin')),
    fullscreen.addChildren(inside(fullscreen, 'fullscreen')),
  ]),
  parseSearch: (text) => parseSearch(text),
  stringifySearch,
  defaultPreload: false,
  defaultErrorComponent: PageError,
  scrollRestoration: false,
});
