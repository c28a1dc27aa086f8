import { notificationsStore } from '@mantine/notifications';
import i18next from 'i18next';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ApiError, CODE } from '@/api/errors';
import { call } from '@/api/http';
import { refused } from '@/app/signIn';
import { showError } from '@/components/notices';
import sessionEn from '@/features/session/locales/en.json';
import sessionZh from '@/features/session/locales/zh.json';
import en from '@/i18n/locales/en.json';
import zh from '@/i18n/locales/zh.json';
import { session } from '@/lib/session';
import { by, expectPlace, withScreen } from './places';
import type { Place } from './places';

// Section 8 of the specification: what a reply's code does, from the reply to what the user sees.

beforeAll(async () => {
  const resources = { en: { base: en, session: sessionEn }, zh: { base: zh, session: sessionZh } };
  await i18next.init({
    lng: 'en',
    fallbackLng: false,
    resources,
    defaultNS: 'base',
    interpolation: { escapeValue: false },
  });
});

const removed: string[] = [];

beforeEach(async () => {
  removed.length = 0;
  vi.stubGlobal('localStorage', {
    getItem: () => null,
    setItem: () => undefined,
    removeItem: (key: string) => removed.push(key),
  });
  notificationsStore.setState({ ...notificationsStore.getState(), notifications: [], queue: [] });
  session.setState(session.getInitialState(), true);
  await i18next.changeLanguage('en');
});

/** Toasts that stand, with how long they stay. */
const toasts = (): [unknown, unknown][] =>
  notificationsStore.getState().notifications.map(({ message, autoClose }) => [message, autoClose]);

async function failed(body: unknown, status = 400, statusText = ''): Promise<unknown> {
  const response = { status, statusText } as Response;
  return call(Promise.resolve({ error: body, response })).catch((error: unknown) => error);
}

const CATALOGUE: readonly [code: number | 'other', shown: string | null][] = [
  [10000, null],
  [10011, null],
  [10010, null],
  [20000, 'the text of the reply'],
  [10001, 'No permission, illegal operation'],
  [10002, 'Request parameter error'],
  [10009, 'Wrong user name or password'],
  ['other', 'Operation failed'],
];
const OTHER = 12345;
/** Of this cloud's own: what is refused because there is too much of it. */
const BEYOND = [CODE.OK, CODE.BUSY];

test.each(CATALOGUE)('code %s of section 8', async (code, shown) => {
  const error = await failed({ code: code === 'other' ? OTHER : code, msg: 'of the log', data: shown });
  expect(error).toBeInstanceOf(ApiError);
  showError(error);
  expect(toasts()).toEqual(shown === null ? [] : [[shown, 5_000]]);
  expect(session.getState().isExpired).toBe(code === 10010);
});

test('the portal knows the codes of the catalogue and no others', () => {
  const known = Object.values(CODE).flat();
  expect(known.toSorted()).toEqual(
    [...CATALOGUE.flatMap(([code]) => (code === 'other' ? [] : [code])), ...BEYOND].toSorted(),
  );
});

test('every code of the catalogue that is told has words in Chinese', async () => {
  await i18next.changeLanguage('zh');
  for (const [code, shown] of CATALOGUE.filter((row) => row[1] !== null && row[0] !== 20000)) {
    notificationsStore.setState({ ...notificationsStore.getState(), notifications: [] });
    showError(await failed({ code: code === 'other' ? OTHER : code, msg: shown, data: null }));
    expect(toasts()[0]?.[0], String(code)).toMatch(/^[\u4e00-\u9fff，]+$/);
  }
});

test('a body without a code but with a status text', async () => {
  showError(await failed({ detail: 'x' }, 403, 'Forbidden'));
  expect(toasts()).toEqual([['No permission, illegal operation', 5_000]]);
});

test('10010 asks in the words of the catalogue', () => {
  expect([en.error.expiredTitle.toLowerCase(), en.error.expired]).toEqual([
    'session expired',
    'Your session has expired, please log in again',
  ]);
  expect([en.action.ok, en.action.cancel]).toEqual(['OK', 'Cancel']);
});

test.each([
  ['the cloud’s message', { code: 20000, data: 'Account moved' }, 'Account moved'],
  ['words of its own', { code: 10010, data: null }, 'Verification failed, please login again'],
])('user info that fails ends the session and shows %s', async (_name, body, shown) => {
  session.setState({ tokens: { token: 't', refreshToken: 'r', expiresAtMs: 1 } });
  refused(await failed(body, 401));
  expect(session.getState().tokens).toBeNull();
  expect(removed).toEqual(['edge.session']);
  expect(toasts()).toEqual([[shown, 5_000]]);
});

const HERE = 'web/test/catalogue.test.ts';
const WORDS = by(HERE, '%s says %s');

/** The rest of section 8: what is said and done beside the codes. */
const BESIDE: readonly [item: string, ...places: Place[]][] = [
  [
    '10010: a dialog, OK logs out and reloads',
    by('tests/browser/test_shell.py', 'test_expired_session'),
    by(HERE, '10010 asks in the words of the catalogue'),
  ],
  ['each code comes from the cloud', by('cloud/tests/test_constants.py', 'test_code_over_the_wire')],
  ['login failure is shown', by('tests/browser/test_portal.py', 'test_wrong_password_and_deep_link')],
  ['user-info failure logs out and is told', by(HERE, 'user info that fails ends the session and shows %s')],
  [
    'type 5 gives no permission',
    WORDS,
    by('cloud/tests/domains/access/test_matrix.py', 'test_type_5_is_refused_at_the_door'),
    by('tests/browser/test_permissions.py', 'test_an_app_user_stays_outside'),
  ],
  [
    'copied, for 1.5 s; Copy failed',
    WORDS,
    by('web/test/components/constants.test.tsx', 'copied is told for 1500 ms'),
    by('web/test/components/pieces.test.tsx', 'copying that works (%s) is told for 1.5 s'),
  ],
  ['no full-screen support', WORDS],
  ['No Data', WORDS],
  [
    'This device has no location data',
    by('web/test/map.test.ts', 'a device without a place says so in the words of the specification'),
  ],
  [
    'This group has no members',
    by('web/test/projects.test.ts', 'a node without devices says so in the words of the specification'),
  ],
  ['payment QR expired, something wrong, payment succeeded', withScreen('/fee/orderList')],
  ['success or failure of add, copy, edit, delete', WORDS],
  [
    'token refresh failures are ignored',
    by('web/test/http.test.ts', 'a refresh that fails is ignored: the call goes out with the old token'),
  ],
];

test.each(BESIDE)('section 8: %s has its place', (_item, ...places) => places.forEach(expectPlace));

test.each([
  ['base:copy.done', 'copied'],
  ['base:copy.failed', 'Copy failed'],
  ['base:wall.noFull', 'Your browser does not support full screen'],
  ['base:table.nothing', 'No Data'],
  ['base:language.done', 'Switch Language Success'],
  ['session:refusal.sign_in.no_portal', 'No permission'],
  ['base:form.done.create', 'Added'],
  ['base:form.done.copy', 'Copied'],
  ['base:form.done.edit', 'Saved'],
  ['base:row.removed', 'Deleted'],
  ['base:error.failed', 'Operation failed'],
])('%s says %s', async (key, words) => {
  expect(i18next.t(key, { what: '' })).toMatch(new RegExp(`^${words}`));
  await i18next.changeLanguage('zh');
  expect(i18next.t(key, { what: '' })).toMatch(/[\u4e00-\u9fff]/);
});
