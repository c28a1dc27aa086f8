import { expect, test } from 'vitest';
import {
  beginOf,
  changed,
  dayOf,
  isEmail,
  isPhone,
  isUserName,
  passwordFault,
  strengthOf,
  typesBelow,
} from '@/features/users/account';
import { agentOf } from '@/features/users/agent';
import type { UserRow } from '@/features/users/api';
import { nameOf, ofType, permissionTree, wayOf } from '@/features/users/permissionTree';
import { defaultDraft, draftOfRule, isTouched, ruleOf } from '@/features/users/rules';
import { bodyOf, changeOf, draftOf, emptyDraft } from '@/features/users/userDraft';
import { idsBelow } from '@/lib/tree';

test.each([
  [0, 0, [1, 2, 3, 4, 5, 6]],
  [1, 1, [2, 3, 4, 5, 6]],
  [1, 3, [4, 5, 6]],
  [6, 6, []],
])('a user of type %i, below one of type %i, gives types %o', (own, above, types) => {
  expect(typesBelow(own, above)).toEqual(types);
});

test.each([
  ['ab', true],
  ['a', false],
  ['\u534e\u4e1c', true],
  ['a b', false],
  ['a/b', false],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['user_1.a-b', true],
  ['root.', false],
  ['root-', false],
  ['root_', false],
])('user name %s: %s', (name, fits) => {
  expect(isUserName(name)).toBe(fits);
});

test.each([
  ['1234567', 'short'],
  ['12345678', null],
  ['abc!@#$%^&*', null],
  ['abcdefg h', 'letters'],
  ['abcdefg\u5bc6', 'letters'],
  ['x'.repeat(200), null],
  ['x'.repeat(201), 'long'],
])('password %s: %s', (password, fault) => {
  expect(passwordFault(password)).toBe(fault);
});

test.each([
  ['12345678', 'weak'],
  ['aaaaaaaaaaaa', 'weak'],
  ['password1', 'weak'],
  ['abcdefgh', 'weak'],
  ['kw7Tq2mb', 'fair'],
  ['kw7Tq2mbXd', 'good'],
  ['kw7!Tq2mbXd%p', 'strong'],
  ['short1!', 'weak'],
])('strength of %s: %s', (password, strength) => {
  expect(strengthOf(password)).toBe(strength);
});

test('a password with the user\u2019s name is weak, and a longer one of the same kind is never weaker', () => {
  expect(strengthOf('Huadong!7tQm2', 'huadong')).toBe('weak');
  expect(strengthOf('Huadong!7tQm2', 'suzhou')).toBe('strong');
  const order = ['weak', 'fair', 'good', 'strong'];
  let known = 0;
  for (const letters of ['kR7q', 'kR7qW2xz', 'kR7qW2xzTb', 'kR7qW2xzTb5mLd']) {
    const found = order.indexOf(strengthOf(letters));
    expect(found).toBeGreaterThanOrEqual(known);
    known = found;
  }
});

test('phone and mail address', () => {
  expect([isPhone('+86 (21) 5888-0000'), isPhone('x'), isPhone('')]).toEqual([true, false, true]);
  expect([isEmail(''), isEmail('a@b'), isEmail('a b@c'), isEmail('ab')]).toEqual([true, true, false, false]);
});

test('a day of expiry goes to its first minute and back', () => {
  expect(dayOf(null)).toBeNull();
  expect(dayOf(0)).toBeNull();
  expect(beginOf(null)).toBeNull();
  expect(beginOf('no day')).toBeNull();
  const ms = beginOf('2027-03-01');
  expect(new Date(ms ?? 0).getHours()).toBe(0);
  expect(dayOf(ms)).toBe('2027-03-01');
});

test('only what differs is a change', () => {
  expect(changed({ a: 1, b: 'x', c: null as string | null }, { a: 1, b: 'y', c: null })).toEqual({ b: 'x' });
});

const ROW: UserRow = {
  user_id: 7,
  user_name: 'huadong',
  nick_name: 'H',
  user_type: 1,
  status: 1,
  user_expire: beginOf('2027-01-01'),
  phone: '',
  email: '',
  group_id: 3,
  group_title: 'G',
  parent_id: 1,
  parent_name: 'admin',
  bigscreen_title: '',
  created_ms: 1,
  last_login_ms: null,
  remark: '',
  limits: { projects: 5, devices: null },
};

test('a form that changes nothing sends nothing; what it changes is sent by the API\u2019s names', () => {
  const draft = draftOf(ROW, 0);
  expect(changeOf(draft, ROW)).toEqual({});
  expect(changeOf({ ...draft, expire: null, group: null, nick_name: 'N' }, ROW)).toEqual({
    user_expire: null,
    group_id: null,
    nick_name: 'N',
  });
  expect(changeOf({ ...draft, user_type: '2', parent: { value: '9', label: 'x', type: 1 } }, ROW)).toEqual({
    user_type: 2,
    parent_id: 9,
  });
});

test('of limits only what was changed is sent; an empty one ends', () => {
  const draft = draftOf(ROW, 0);
  expect([draft.projects, draft.devices]).toEqual(['5', '']);
  expect(changeOf({ ...draft, projects: '' }, ROW)).toEqual({ limits: { projects: null } });
  expect(changeOf({ ...draft, devices: '0' }, ROW)).toEqual({ limits: { devices: 0 } });
});

test('nobody is moved to nobody, and an hour of expiry that the form cannot show stays', () => {
  expect(changeOf({ ...draftOf(ROW, 0), parent: null }, ROW)).toEqual({});
  const timed = { ...ROW, user_expire: (beginOf('2027-01-01') ?? 0) + 3_600_000 };
  expect(changeOf(draftOf(timed, 0), timed)).toEqual({});
});

test('a new user is made of what was typed', () => {
  const body = bodyOf({ ...emptyDraft(2), user_name: 'new', password: 'kw7Tq2mb', expire: '2027-03-01' });
  expect(body).toMatchObject({
    user_name: 'new',
    user_type: 2,
    password: 'kw7Tq2mb',
    user_expire: beginOf('2027-03-01'),
    group_id: null,
    parent_id: null,
  });
});

const named = (code: string, parent: string, types = [0, 1]) => ({
  code,
  parent,
  zh: `${code}-zh`,
  en: `${code} en`,
  types,
  kind: 'menu',
  enabled: true,
  announced: false,
});
const PERMISSIONS = [named('A', ''), named('A.1', 'A'), named('A.2', 'A', [0]), named('B', '', [0]), named('B.1', 'B')];

test('permissions are a tree with names in the language; none is lost with its parent', () => {
  const tree = permissionTree(PERMISSIONS, 'en');
  expect(tree.map(({ label }) => label)).toEqual(['A en', 'B en']);
  expect(tree[0]?.children?.map(({ note }) => note)).toEqual(['A.1', 'A.2']);
  const possible = ofType(PERMISSIONS, 1);
  expect(permissionTree(possible, 'zh').flatMap(idsBelow)).toEqual(['A', 'A.1', 'B.1']);
  expect(nameOf(named('A', ''), 'zh')).toBe('A-zh');
  expect(wayOf(PERMISSIONS, 'A.1', 'en')).toBe('A en / A.1 en');
  expect(wayOf(PERMISSIONS, 'unknown', 'en')).toBe('unknown');
});

const RULE = { ...named('A', ''), default_zh: 'A-zh', default_en: 'A en', default_types: [0, 1] };

test('a rule keeps only what differs from the permission without one', () => {
  const draft = draftOfRule(RULE);
  expect(isTouched(draft, RULE)).toBe(false);
  expect(ruleOf(draft, RULE)).toEqual({ zh: null, en: null, types: null, enabled: true });
  expect(ruleOf({ ...draft, types: ['1', '0'], en: ' Name ' }, RULE)).toEqual({
    zh: null,
    en: 'Name',
    types: null,
    enabled: true,
  });
  expect(ruleOf({ ...draft, types: [], enabled: false }, RULE)).toEqual({
    zh: null,
    en: null,
    types: [],
    enabled: false,
  });
  expect(isTouched({ ...draft, enabled: false }, RULE)).toBe(true);
  expect(defaultDraft({ ...RULE, en: 'other' })).toEqual(draft);
});

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    'Chrome 140 \u00b7 Windows',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
    'Edge 140 \u00b7 Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari 18 \u00b7 iOS',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0', 'Firefox 131 \u00b7 Linux'],
  ['python-httpx/0.28', 'python-httpx/0.28'],
  ['', ''],
])('%s is %s', (agent, told) => {
  expect(agentOf(agent)).toBe(told);
});
