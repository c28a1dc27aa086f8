import { afterAll, beforeEach, expect, test } from 'vitest';
import { screens } from '@/app/manifest';
import { router } from '@/app/router';
import { isConcealed, landingPath, menuOf } from '@/lib/screens';
import type { Links } from '@/lib/screens';
import { accessOf, session } from '@/lib/session';
import { asked, flagsOf, given, keep, ought, SWITCHES, TYPES_OF, USER_TYPES } from './matrix';
import type { Cell, Switches } from './matrix';

const LINKS: Links = {
  ota: 'https://ota.example',
  flow: 'https://flow.example',
  gis: '/gis/',
  screen: 'https://screen.example',
};
const CASES = USER_TYPES.flatMap((type) => SWITCHES.map((on) => [type, on] as const));
const ADDRESSES = screens.flatMap((screen) =>
  [screen.path, ...(screen.aliases ?? [])].map((path) => ({ path, screen })),
);

beforeEach(() => session.setState(session.getInitialState(), true));

/** A session such as the cloud gives to a user of the type. */
function signIn(type: number, on: Switches, links: Links = {}): void {
  session.setState({
    tokens: { token: 't', refreshToken: 'r', expiresAtMs: Number.MAX_SAFE_INTEGER },
    user: { id: 1, name: 'u', nickName: '', type, bigscreenTitle: '' },
    permissions: given(type, on),
    platform: { flags: flagsOf(on), links, otaHosts: [] },
  });
}

type Guard = (place: { location: { href: string } }) => Promise<void>;

/** The router's own guard of an address: null when it lets pass, else the address to which it leads. */
async function led(path: string): Promise<{ to: string; search: Record<string, string> } | null> {
  const route = (router.routesByPath as Record<string, { options: { beforeLoad?: Guard } }>)[path];
  if (route === undefined) throw new Error(`no route ${path}`);
  try {
    await route.options.beforeLoad?.({ location: { href: path } });
    return null;
  } catch (found) {
    return (found as { options: { to: string; search: Record<string, string> } }).options;
  }
}

const landingOf = (): string => landingPath(screens, accessOf(session.getState())) ?? '/401';

const found: Cell[] = [];
afterAll(() => keep('route', found));

test.each(CASES)(
  'type %i with the switches "%s": every route is open or leads to /401, as declared, and what is announced only where unknown addresses do',
  async (type, on) => {
    signIn(type, on);
    const wrong: string[] = [];
    for (const { path, screen } of ADDRESSES) {
      const away = await led(path);
      const refused = isConcealed(screen, { flags: flagsOf(on) })
        ? { to: landingOf() }
        : { to: '/401', search: { from: screen.path } };
      const expected = ought(screen, type, on) ? null : refused;
      if (JSON.stringify(away && { to: away.to, search: away.search }) !== JSON.stringify(expected)) wrong.push(path);
      found.push({ type, on, name: path, allowed: away === null });
    }
    expect(wrong).toEqual([]);
  },
);

test.each(CASES)(
  'type %i with the switches "%s": rules that give everything open no screen of other types or without its switch',
  async (type, on) => {
    const everything = [...TYPES_OF.keys()];
    signIn(type, on);
    session.setState({ permissions: everything });
    for (const { path, screen } of ADDRESSES)
      expect((await led(path)) === null, path).toBe(ought(screen, type, on, everything));
  },
);

test.each(CASES)('type %i with the switches "%s": the menu has what may be opened and nothing else', (type, on) => {
  for (const links of [LINKS, {}]) {
    signIn(type, on, links);
    const entries = [...menuOf(screens, accessOf(session.getState())).values()].flat().map(({ path }) => path);
    const expected = screens.filter(
      (screen) =>
        screen.section !== undefined &&
        screen.hidden !== true &&
        ought(screen, type, on) &&
        (screen.external === undefined || screen.external in links),
    );
    expect(entries.toSorted()).toEqual(expected.map(({ path }) => path).toSorted());
  }
});

test('there is always one way to OTA: the menu of this portal where it is shown, else the link out of it', () => {
  for (const on of SWITCHES) {
    signIn(0, on, LINKS);
    const entries = [...menuOf(screens, accessOf(session.getState())).values()].flat().map(({ path }) => path);
    const [here, outside] = [entries.some((path) => path.startsWith('/ota/')), entries.includes('/ota-link')];
    expect([here, outside], on).toEqual(on.includes('ot') ? [true, false] : [false, true]);
  }
});

test('without a session every screen but the public ones leads to the sign-in page, with the way back', async () => {
  for (const { path, screen } of ADDRESSES) {
    const expected = screen.layout === 'public' ? null : { to: '/login', search: { redirect: path } };
    expect(await led(path), path).toEqual(expected === null ? null : expect.objectContaining(expected));
  }
});

test('a group, a rule or a switch that takes a permission away closes its screens and no other', async () => {
  for (const code of TYPES_OF.keys()) {
    signIn(0, 'ot+rl+announced');
    session.setState({ permissions: given(0, 'ot+rl+announced').filter((each) => each !== code) });
    for (const { path, screen } of ADDRESSES) {
      const codes = asked(screen);
      const isOfType = screen.userTypes?.includes(0) ?? true;
      const open = isOfType && (codes === null ? code === 'OtaManager' : !codes.includes(code));
      expect((await led(path)) === null, `${path} without ${code}`).toBe(open);
    }
  }
});

test('screens ask only for permissions that the cloud has', () => {
  for (const screen of screens) {
    for (const code of asked(screen) ?? []) expect([...TYPES_OF.keys()], screen.path).toContain(code);
  }
});

test('the sections of the specification have its gates', () => {
  const gates = Object.fromEntries(
    screens.map((screen) => [screen.path, [screen.userTypes ?? [], screen.cloudFlag ?? '', asked(screen)]]),
  );
  expect(gates['/user/customize']).toEqual([[0], '', ['auth.Customize']]);
  expect(gates['/user/authrule']).toEqual([[0], 'rl', ['auth.Rule']]);
  const ota = screens.filter(({ path }) => path.startsWith('/ota/'));
  expect(ota).toHaveLength(7);
  for (const screen of ota) {
    expect(screen.cloudFlag, screen.path).toBe('ot');
    expect(asked(screen), screen.path).toContain('OtaManager');
  }
});
