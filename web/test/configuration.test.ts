import { expect, test } from 'vitest';
import { codeKey, lostPoints, silentSlaves, withReasons } from '@/blocks/deployment/reason';
import type { ConfigurationDifference, ConfigurationState, DeploymentDetail } from '@/features/configuration/api';
import {
  deadlineOf,
  isDraftUnderWay,
  isFinal,
  isOverload,
  mayCancel,
  missingOf,
  situationOf,
  stepsOf,
} from '@/features/configuration/deployment';
import { valueText } from '@/blocks/deployment/valueText';
import { changedLoads, linesOf, totalOf } from '@/features/configuration/difference';
import { lineOf, pathOf, printed, readText } from '@/features/configuration/document';
import { isInPlaceOf } from '@/features/configuration/draft';
import { pastOf } from '@/features/configuration/history';

const deployment = (state: string, steps: string[] = [], more: Partial<DeploymentDetail> = {}): DeploymentDetail => ({
  id: 'd',
  device_id: 1,
  hash: 'a',
  base: 'b',
  state,
  check_only: false,
  wait: false,
  confirm_s: 30,
  healthy_share: 0.9,
  user: 'u',
  created_ms: 1,
  expires_ms: 60_000,
  sent_ms: state === 'created' ? null : 2,
  finished_ms: isFinal(state) ? 9 : null,
  code: '',
  detail: '',
  steps: steps.map((step, at) => ({ step, t_ms: at, received_ms: 10 + at, running: 'b', code: '', detail: '' })),
  faults: [],
  change: null,
  ...more,
});
const states = (one: DeploymentDetail): string =>
  stepsOf(one)
    .map(({ state }) => state)
    .join(' ');

test.each([
  [deployment('created'), 'active waiting waiting waiting waiting'],
  [deployment('sent'), 'done active waiting waiting waiting'],
  [deployment('received', ['received']), 'done done active waiting waiting'],
  [deployment('switched', ['received', 'staged', 'switched']), 'done done done done active'],
  [deployment('confirmed', ['received', 'staged', 'switched', 'confirmed']), 'done done done done done'],
  // Steps may be lost on their way; the last word proves them.
  [deployment('confirmed', ['confirmed']), 'done done done done done'],
  [deployment('reverted', ['received', 'reverted']), 'done done done done failed'],
  [deployment('refused', ['received', 'refused']), 'done done skipped skipped failed'],
  // An adopted local edit: nothing had to be stored or switched, so nothing says that it was not.
  [deployment('unchanged', ['unchanged']), 'done done done'],
  [deployment('networkError', [], { sent_ms: null }), 'skipped skipped skipped skipped failed'],
  [deployment('networkError', ['received', 'staged']), 'done done done skipped failed'],
  [deployment('cancelled'), 'done waiting waiting waiting failed'],
  [deployment('cancelled', [], { sent_ms: null }), 'skipped skipped skipped skipped failed'],
])('steps of %o', (one, expected) => {
  expect(states(one)).toBe(expected);
});

test('what is not on trial and has not ended may be taken back', () => {
  const states = ['created', 'sent', 'received', 'staged', 'switched', 'confirmed', 'expired', 'cancelled'];
  expect(states.filter((state) => mayCancel(deployment(state)))).toEqual(['created', 'sent', 'received', 'staged']);
  expect(mayCancel(deployment('sent', [], { check_only: true }))).toBe(false);
});

test('a trial ends after its time, counted from the switch', () => {
  expect(deadlineOf(deployment('switched', ['received', 'staged', 'switched']))).toBe(12 + 30_000);
  expect(deadlineOf(deployment('confirmed', ['switched']))).toBeNull();
});

test('a trial names what is still missing, and how much more there is', () => {
  const missing = { slaves: ['meter'], points: ['meter.Ua', 'meter.Ub'], slaves_all: 1, points_all: 30, link: false };
  expect(missingOf({ missing })).toEqual({
    slaves: ['meter'],
    points: ['meter.Ua', 'meter.Ub'],
    moreSlaves: 0,
    morePoints: 28,
    link: false,
  });
  expect(missingOf({ missing: null })).toBeNull();
  expect(missingOf({ missing: { link: true } })?.link).toBe(true);
  expect(missingOf({ missing: {} })).toBeNull();
});

test('only the estimate of a bus may be overruled', () => {
  const faults = (...fields: string[]) => fields.map((field) => ({ field, rule: 'r' }));
  expect(isOverload(deployment('refused', [], { faults: faults('ports[0]', 'ports[12]') }))).toBe(true);
  expect(isOverload(deployment('refused', [], { faults: faults('ports[0]', 'ports[0].device') }))).toBe(false);
  expect(isOverload(deployment('refused'))).toBe(false);
});

test('the reason of a way back is read from its words', () => {
  expect(lostPoints('3 of 61 points that were good are not: boiler (3: no answer)')).toEqual({
    lost: 3,
    total: 61,
    slaves: 'boiler (3: no answer)',
  });
  expect(lostPoints('no link to the cloud: no answer')).toBeNull();
  expect(withReasons('boiler (3: no_answer), drive (1: odd_code)', (key) => `<${key}>`)).toBe(
    'boiler (3: <base:deployment.silent.no_answer>), drive (1: odd_code)',
  );
  expect(silentSlaves('silent: boiler (no_answer), meter (port_lent)')).toBe('boiler (no_answer), meter (port_lent)');
  expect(silentSlaves('no link to the cloud')).toBeNull();
  expect(withReasons('meter (port_lent)', (key) => `<${key}>`)).toBe('meter (<base:deployment.silent.port_lent>)');
  expect(['points', 'slaves', 'asked'].map(codeKey)).toEqual(
    ['points', 'slaves', 'asked'].map((code) => `base:deployment.code.${code}`),
  );
  expect(codeKey('new_one')).toBeNull();
});

const standing = (part: Partial<ConfigurationState>): ConfigurationState => ({
  running: { hash: 'a', origin: 'cloud', since_ms: 1, known: true },
  accepted: 'a',
  local_edit: false,
  draft: null,
  newest: 'a',
  deployment: null,
  versions: [],
  total: 0,
  ...part,
});
const draft = { hash: 'c', base: 'a', author: 'u', changed_ms: 1, behind: false };

test.each([
  [standing({}), 'inForce'],
  [standing({ draft }), 'draft'],
  [standing({ draft, local_edit: true }), 'localEdit'],
  [standing({ running: null }), 'unknown'],
  [standing({ deployment: deployment('confirmed') }), 'inForce'],
  [standing({ draft, deployment: deployment('staged') }), 'underWay'],
])('%o is %s', (state, kind) => {
  expect(situationOf(state).kind).toBe(kind);
});

test('a deployment counts the steps that its list ticks', () => {
  for (const steps of [[], ['received'], ['received', 'staged'], ['received', 'staged', 'switched']]) {
    const one = deployment(steps.at(-1) ?? 'sent', steps);
    expect(situationOf(standing({ deployment: one }))).toMatchObject({
      step: stepsOf(one).filter(({ state }) => state === 'done').length,
    });
  }
});

test('a draft says that it was refused, not that another version was', () => {
  const failed = (hash: string, state: string): unknown =>
    situationOf(standing({ draft, deployment: { ...deployment(state), hash } }));
  expect(failed('c', 'refused')).toMatchObject({ kind: 'draft', failed: { state: 'refused' } });
  expect([failed('x', 'refused'), failed('c', 'cancelled')]).toEqual([
    { kind: 'draft', failed: null },
    { kind: 'draft', failed: null },
  ]);
});

test.each([
  ['local', [], 'ran'],
  ['cloud', [], 'never'],
  ['cloud', ['refused', 'confirmed'], 'ran'],
  ['cloud', ['refused', 'expired'], 'refused'],
  ['cloud', ['reverted', 'refused'], 'reverted'],
  ['cloud', ['networkError'], 'unknown'],
] as const)('a version of %s with deployments %j: %s', (origin, ends, past) => {
  const known = {
    accepted: 'a',
    running: 'a',
    deployments: ends.map((state) => ({ ...deployment(state), hash: 'v' })),
  };
  expect(pastOf({ hash: 'v', origin }, { ...known, isAll: true })).toBe(past);
  expect(pastOf({ hash: 'v', origin }, { ...known, isAll: false })).toBe(past === 'never' ? 'unknown' : past);
  expect(pastOf({ hash: 'a', origin }, { ...known, isAll: true })).toBe('ran');
});

test('a draft that is being deployed is not offered, one of another deployment is', () => {
  const state = (hash: string, how: string): ConfigurationState =>
    standing({ draft, deployment: { ...deployment(how), hash } });
  expect(isDraftUnderWay(state('c', 'switched'))).toBe(true);
  expect(isDraftUnderWay(state('x', 'switched'))).toBe(false);
  expect(isDraftUnderWay(state('c', 'reverted'))).toBe(false);
  expect(isDraftUnderWay(standing({ draft }))).toBe(false);
});

test.each([
  ['c', { hash: 'c' }, false],
  ['a', { hash: 'c' }, true],
  [null, { hash: 'c' }, true],
  [null, null, false],
])('a text that began with %j takes the place of the draft %j: %s', (from, kept, replaces) => {
  expect(isInPlaceOf({ text: 'x', file: '', note: '', original: '', base: 'c', from }, kept)).toBe(replaces);
});

const none = { added: [], removed: [], changed: [] };
const zero = { added: 0, removed: 0, changed: 0 };
const difference: ConfigurationDifference = {
  before: 'a',
  after: 'b',
  counts: {
    points: { added: 2, removed: 0, changed: 1 },
    slaves: zero,
    ports: zero,
    scripts: zero,
    other: 1,
    points_reached: 3,
    slaves_reached: 1,
  },
  periods: [],
  points: {
    added: ['s.p2', 's.p3'],
    removed: [],
    changed: [{ name: 's.p1', fields: [{ field: 'title', before: 'x', after: null }] }],
  },
  slaves: none,
  ports: none,
  scripts: none,
  other: [{ field: 'storage.max_mb', before: 1, after: 2 }],
  link: [],
  link_lost: false,
  truncated: false,
};

test('a difference becomes lines that can be searched and closed', () => {
  const ids = (search: string, closed: string[] = []): string[] =>
    linesOf(difference, search, new Set(closed)).map(({ id }) => id);
  expect(totalOf(difference)).toBe(4);
  expect(ids('')).toEqual([
    'other.changed',
    'other/storage.max_mb',
    'points.changed',
    'points/s.p1',
    'points/s.p1/title',
    'points.added',
    'points/s.p2',
    'points/s.p3',
  ]);
  expect(ids('P3')).toEqual(['points.added', 'points/s.p3']);
  expect(ids('title')).toEqual(['points.changed', 'points/s.p1', 'points/s.p1/title']);
  expect(ids('', ['points.changed', 'points.added'])).toEqual([
    'other.changed',
    'other/storage.max_mb',
    'points.changed',
    'points.added',
  ]);
  expect(ids('nothing')).toEqual([]);
});

test('how the gateway is reached comes first and is no other setting', () => {
  const astray = { ...difference, link: [{ field: 'cloud.url', before: 'mqtt://a', after: null }], link_lost: true };
  expect(totalOf(astray)).toBe(5);
  expect(
    linesOf(astray, '', new Set())
      .map(({ id }) => id)
      .slice(0, 4),
  ).toEqual(['link.changed', 'link/cloud.url', 'other.changed', 'other/storage.max_mb']);
});

test('20,000 changed points are lines in a moment', () => {
  const changed = Array.from({ length: 20_000 }, (_, at) => ({
    name: `s.p${at}`,
    fields: [{ field: 'capture_freq', before: 1, after: 2 }],
  }));
  const long = {
    ...difference,
    points: { ...none, changed },
    counts: { ...difference.counts, points: { ...zero, changed: 20_000 } },
  };
  const begin = process.threadCpuUsage();
  expect(linesOf(long, 'p19999', new Set()).length).toBe(3);
  expect(linesOf(long, '', new Set()).length).toBe(40_003);
  expect(process.threadCpuUsage(begin).user / 1000).toBeLessThan(500);
});

test.each([
  [null, null],
  ['', '""'],
  ['x', 'x'],
  [7, '7'],
  [false, 'false'],
  [{ a: [1] }, '{"a":[1]}'],
])('the value %j is shown as %j', (value, text) => {
  expect(valueText(value)).toBe(text);
});

test('ports whose load changes, the fullest first', () => {
  const loads = [
    { port: 'a', before: 1, after: 1.01 },
    { port: 'b', before: 1, after: 20 },
    { port: 'c', before: null, after: 120 },
    { port: 'd', before: 5, after: null },
  ];
  expect(changedLoads(loads).map(({ port }) => port)).toEqual(['c', 'b', 'd']);
});

const document = {
  points: [
    { address: { offset: 0 }, slave: 's', name: 'p1' },
    { name: 'p2', slave: 's', selector: {} },
  ],
  ports: [],
  gateway: { title: 't', id: 'g' },
};

test('a document is printed as one looks for things, and every field has its line', () => {
  const text = printed(document);
  const lines = text.split('\n');
  expect(text.indexOf('"gateway"')).toBeLessThan(text.indexOf('"points"'));
  const at = (path: string): string => lines[lineOf(document, path) - 1]?.trim() ?? '';
  expect(at('gateway.title')).toBe('"title": "t"');
  expect(at('ports')).toBe('"ports": [],');
  expect(at('points[0].address.offset')).toBe('"offset": 0');
  expect(at('points[1].name')).toBe('"name": "p2",');
  expect(at('points[1].missing')).toBe('{');
  expect(at('')).toBe('{');
  expect(readText(text)).toEqual({ document });
});

test('what cannot be read says where', () => {
  expect(readText('{\n  "a": 1,\n}')).toMatchObject({ unread: { line: 3, column: 1 } });
  expect(readText('{"a": ')).toMatchObject({ unread: { line: 1 } });
  for (const [text, line, column] of [
    ['{\n "a": 1,\n "b": oops\n}', 3, 7],
    ['{\n "a": }', 2, 7],
    ['[1,\n\n ,2]', 3, 2],
    ['{"a": "x: y, [", "b": tru}', 1, 23],
    ['{"a": [], "b": {},\n"c": .5}', 2, 6],
  ] as const)
    expect(readText(text)).toMatchObject({ unread: { line, column } });
  expect(readText('[1]')).toMatchObject({ unread: { message: 'object' } });
  expect(readText('a = 1\nb', 'x.TOML')).toMatchObject({ unread: { line: 2, column: 1 } });
  expect(readText('[[points]]\nmax = inf', 'x.toml')).toMatchObject({ unread: { line: 0 } });
  expect(readText('[[points]]\nmax = 9007199254740993', 'x.toml')).toEqual({ inexact: 'points[0].max' });
  expect(readText('{"points": [{"max": 9007199254740993}]}')).toEqual({ inexact: 'points[0].max' });
  expect(pathOf('document.points[3].name')).toBe('points[3].name');
  expect(pathOf('document')).toBe('');
});
