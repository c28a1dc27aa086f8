import { describe, expect, test } from 'vitest';
import type { ParameterGroupSchema } from '@/api/generated/types.gen';
import {
  changedGroups,
  entriesOf,
  faultsIn,
  forestalled,
  newEntry,
  placeOf,
  refusedAt,
  rowsOf,
  rulesOf,
} from '@/features/parameters/model/editing';
import { faultsOf } from '@/features/parameters/model/faults';
import { groupOf, isSheet, MASK } from '@/features/parameters/model/schema';
import type { Field, Group, Row } from '@/features/parameters/model/schema';
import { entryOf, rowOf } from '@/features/parameters/model/values';
import {
  bodyOf,
  draftOf,
  EVERY,
  lowestVersion,
  NO_CHANGE,
  NO_PLAN,
  planFaults,
} from '@/features/parameters/model/plans';
import type { PlanDraft } from '@/features/parameters/model/plans';
import { RULES, SENTENCES } from '@/components/ruleSentences';
import en from '@/features/parameters/locales/en.json';
import zh from '@/features/parameters/locales/zh.json';
import exported from '../../broker-config/contract/schema/parameters/groups.json';
import cases from './parameter-cases.json';

const SCHEMAS = Object.entries(exported).map(
  ([name, group]) => ({ name, ...group }) as unknown as ParameterGroupSchema,
);
const GROUPS = SCHEMAS.map(groupOf);
const group = (name: string): Group => GROUPS.find((each) => each.name === name)!;
const ROWS = cases.rows as unknown as Readonly<Record<string, Row>>;

const fields = GROUPS.flatMap((each) =>
  each.fields.flatMap((field) => [
    `${each.name}.${field.name}`,
    ...field.fields.map((inner) => `${each.name}.${field.name}.${inner.name}`),
  ]),
);

/** A row that is valid otherwise, with one value; of a field of a list's entries in its only one. */
function rowWith(name: string, field: string, value: unknown): Row {
  const beside = cases.beside.find(([of, at]) => of === name && at === field)?.[2] as Row | undefined;
  const row = Object.fromEntries(Object.entries({ ...ROWS[name], ...beside }).filter(([, each]) => each !== null));
  const [outer = '', inner] = field.split('.');
  if (inner === undefined) return { ...row, [outer]: value };
  const [entry] = row[outer] as Row[];
  return { ...row, [outer]: [{ ...entry, [inner]: value }] };
}

const long = (value: unknown): unknown => {
  const { entries } = Array.isArray(value) ? {} : ((value ?? {}) as { entries?: number });
  return entries === undefined
    ? value
    : Array.from({ length: entries }, (_, at) => ({ name: `v${at}`, point: `a.p${at}` }));
};
const outerOf = (field: string): string => field.replace(/^\[\d+\]\./, '').split(/[.[]/)[0] ?? '';

describe('bounds are those of the contract', () => {
  const bounds = cases.bounds as [string, string, unknown, boolean][];

  test('of every field', () => {
    expect(new Set(bounds.map(([name, field]) => `${name}.${field}`))).toEqual(new Set(fields));
    expect(fields.length).toBe(143);
  });

  test.each(GROUPS.map(({ name }) => name))('%s', (name) => {
    for (const [of, field, value, isAccepted] of bounds) {
      if (of !== name) continue;
      const row = rowWith(name, field, long(value));
      const wrong = faultsOf(group(name), [row]).filter((fault) => outerOf(fault.field) === field.split('.')[0]);
      expect(
        wrong.length === 0,
        `${name}.${field} = ${JSON.stringify(value)?.slice(0, 40)}: ${JSON.stringify(wrong)}`,
      ).toBe(isAccepted);
    }
  });
});

describe('what fields say of each other is what the contract says', () => {
  const sorted = (faults: readonly (readonly [string, string])[]): string[] =>
    faults.map((each) => each.join(': ')).toSorted();
  const said = (places: readonly number[]): string[] => sorted(places.map((at) => cases.said[at] as [string, string]));
  const judged = (name: string, rows: readonly Row[]): string[] =>
    sorted(faultsOf(group(name), rows).map(({ field, rule }) => [field, rule] as const));

  const product = (varied: Readonly<Record<string, readonly unknown[]>>): Row[] =>
    Object.entries(varied).reduce<Row[]>(
      (rows, [field, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [field]: value }))),
      [{}],
    );

  test.each(Object.entries(cases.dependencies))('%s', (name, every) => {
    for (const { values, faults } of every as unknown as { values: Record<string, unknown[]>; faults: number[][] }[]) {
      const rows = product(values);
      expect(rows.length).toBe(faults.length);
      rows.forEach((some, at) => {
        const row = Object.fromEntries(
          Object.entries({ ...ROWS[name], ...some }).filter(([, value]) => value !== null),
        );
        expect(judged(name, [row]), JSON.stringify(row)).toEqual(said(faults[at] ?? []));
      });
    }
  });

  test.each(cases.between as unknown as [string, Row[], number[]][])('between rows of %s: %j', (name, rows, faults) => {
    expect(judged(name, rows)).toEqual(said(faults));
  });

  test('in words of both languages', () => {
    const known = (rule: string): boolean => rule in RULES || SENTENCES.some(([, sentence]) => sentence.test(rule));
    const rules = new Set(cases.said.map(([, rule]) => rule as string));
    expect([...rules].filter((rule) => !known(rule))).toEqual([]);
  });
});

describe('a form', () => {
  const bounds = cases.bounds as [string, string, unknown, boolean][];
  const isEntered = (field: Field, value: unknown): boolean =>
    field.kind === 'integer' || field.kind === 'number'
      ? typeof value === 'number'
      : ['text', 'choice'].includes(field.kind) && typeof value === 'string' && !(field.isOptional && value === '');

  test('takes and gives back what documents have, at every bound', () => {
    for (const [name, path, value, isAccepted] of bounds) {
      const [outer = '', inner] = path.split('.');
      const field = group(name).fields.find((each) => each.name === outer)!;
      const row = rowWith(name, path, long(value));
      if (!isAccepted && (inner !== undefined || !isEntered(field, value))) continue;
      const made = rowOf(group(name), entryOf(group(name).fields, row));
      const wrong = faultsOf(group(name), [made]).filter((fault) => outerOf(fault.field) === outer);
      const where = `${name}.${path} = ${JSON.stringify(value)?.slice(0, 40)}: ${JSON.stringify(wrong)}`;
      expect(wrong.length === 0, where).toBe(isAccepted);
      if (isAccepted) expect(made[outer] ?? field.default, where).toEqual(row[outer] ?? field.default);
    }
  });

  test('writes nothing that was not touched, and nothing that has no use', () => {
    const network = group('network');
    const given = { interface: 'eth0', mode: 'static', address: '10.0.0.2', netmask: '255.0.0.0' };
    const entry = entryOf(network.fields, given);
    expect(rowOf(network, entry)).toEqual(given); // the default of interface was written out
    expect(rowOf(network, { ...entry, values: { ...entry.values, mode: 'dhcp' } })).toEqual({ interface: 'eth0' });
    const platform = group('hj212');
    const target = { ...ROWS.hj212, pw: MASK };
    const kept = rowOf(platform, entryOf(platform.fields, target));
    expect([kept, faultsOf(platform, [kept])]).toEqual([target, []]);
  });

  test('of a loop write has numbers where the content is one', () => {
    const task = group('loop_write');
    const entry = entryOf(task.fields, { ...ROWS.loop_write, value: 5 });
    const typed = (content: string): Row =>
      rowOf(task, { ...entry, values: { ...entry.values, value: '07', content } });
    expect([typed('number').value, typed('hex').value]).toEqual([7, '07']);
  });

  test('of a platform of others keeps a table of texts', () => {
    const platform = group('hj212');
    const entry = entryOf(platform.fields, { ...ROWS.hj212, states: { 1: 'M', off: 'D' } });
    expect(entry.values.states).toBe('1 = M\noff = D');
    expect(rowOf(platform, entry).states).toEqual({ 1: 'M', off: 'D' });
  });
});

describe('an editor', () => {
  const given = [
    { name: 'run', rows: [{}] },
    { name: 'uart', rows: [{ name: 'com1', device: '/dev/ttyS1' }] },
  ];
  const before = entriesOf(GROUPS, given);
  const set = (name: string, at: number, change: Row): typeof before => ({
    ...before,
    [name]: (before[name] ?? []).map((entry, place) =>
      place === at ? { ...entry, values: { ...entry.values, ...change } } : entry,
    ),
  });

  test('knows what was changed, and what is wrong with that', () => {
    expect(changedGroups(GROUPS, before, before)).toEqual([]);
    expect(changedGroups(GROUPS, before, set('uart', 0, { baud: 9600 }))).toEqual([]);
    const now = set('uart', 0, { baud: '19200' });
    expect(changedGroups(GROUPS, before, now)).toEqual(['uart']);
    expect(rowsOf(group('uart'), now.uart ?? [])).toEqual([{ name: 'com1', device: '/dev/ttyS1', baud: 19200 }]);
    const broken = faultsIn(GROUPS, ['run'], set('run', 0, { power: 'saving' }));
    expect(broken.get('run')).toEqual([{ field: 'report_interval_s', rule: 'must be at least 60 with power saving' }]);
    const line = (now.uart ?? [])[0]!;
    expect(rulesOf([line], [{ field: '[0].baud', rule: 'r' }]).get(line.id)).toEqual({ baud: 'r' });
    expect(placeOf('[2].mapping[3].factor')).toEqual({ at: 2, field: 'mapping', entry: 3, inner: 'factor' });
  });

  test('names new rows as no other', () => {
    const line = before.uart![0]!;
    expect(newEntry(group('uart'), before.uart!, line).values.name).toBe('com1-2');
    expect(newEntry(group('uart'), before.uart!).values.name).toBe('uart');
    expect(isSheet(group('calibration'))).toBe(true);
  });

  test('finds the field that the cloud refuses, and groups that somebody else changed too', () => {
    expect(refusedAt('uart[0].baud')).toEqual({ group: 'uart', field: '[0].baud' });
    expect(refusedAt('run.mode')).toEqual({ group: 'run', field: 'mode' });
    const theirs = [given[0]!, { name: 'uart', rows: [] }];
    expect(forestalled(GROUPS, ['uart', 'run'], given, theirs)).toEqual(['uart']);
  });
});

describe('a plan', () => {
  const draft = (change: Partial<PlanDraft> = {}): PlanDraft => ({
    ...NO_PLAN,
    title: 'Quiet',
    projects: ['3'],
    changes: [
      {
        group: 'uart',
        row: EVERY,
        remove: false,
        fields: ['baud', 'parity'],
        usual: ['parity'],
        values: { baud: 19200 },
      },
    ],
    ...change,
  });
  const paths = (change: Partial<PlanDraft>, version = 0): string[] =>
    planFaults(GROUPS, draft(change), version).map(({ path }) => path);

  test('becomes a body of the API and a form again', () => {
    const body = bodyOf(GROUPS, draft());
    expect(body.changes).toEqual([{ group: 'uart', row: '*', values: { baud: 19200, parity: null } }]);
    expect([body.project_ids, body.version]).toEqual([[3], 1]);
    const again = draftOf(GROUPS, { ...body, id: 1, device_ids: [9] } as never, new Map([[9, 'Boiler']]));
    expect(again.changes[0]).toMatchObject({ fields: ['baud', 'parity'], usual: ['parity'] });
    expect([again.version, again.devices[0]?.label]).toEqual([2, 'Boiler']);
    expect(bodyOf(GROUPS, again).changes).toEqual(body.changes);
  });

  test.each([
    [{}, []],
    [{ title: ' ' }, ['title']],
    [{ projects: [] }, ['projects']],
    [{ agent_min: '1.x' }, ['agent_min']],
    [{ changes: [] }, ['changes']],
    [{ changes: [{ ...NO_CHANGE }] }, ['changes.0.group']],
    [{ changes: [{ ...NO_CHANGE, group: 'uart' }] }, ['changes.0.row', 'changes.0.fields']],
    [{ changes: [{ ...NO_CHANGE, group: 'uart', row: 'com1', remove: true }] }, []],
    [
      {
        changes: [{ ...NO_CHANGE, group: 'run', fields: ['report_interval_s'], values: { report_interval_s: 86401 } }],
      },
      ['changes.0.values.report_interval_s'],
    ],
    [{ changes: [{ ...NO_CHANGE, group: 'hj212', row: '*', fields: ['flag'], values: { flag: '0' } }] }, ['version']],
  ] as [Partial<PlanDraft>, string[]][])('%j is wrong at %j', (change, wrong) => {
    expect(paths(change)).toEqual(wrong);
  });

  test('has a version above the one before, and above 1 for platforms of others', () => {
    expect(paths({ version: 4 }, 4)).toEqual(['version']);
    expect([lowestVersion([{ group: 'run' }], 0), lowestVersion([{ group: 'mqtt' }], 0)]).toEqual([1, 2]);
    expect(lowestVersion([{ group: 'mqtt' }], 7)).toBe(8);
  });
});

describe('words are complete', () => {
  const named = GROUPS.flatMap(({ name, fields: of }) =>
    of.flatMap((field) => [field, ...field.fields].map((each) => ({ name, each }))),
  );

  test('of groups and fields, in both languages', () => {
    for (const { title, name } of GROUPS) expect(title.zh !== '' && title.en !== '', name).toBe(true);
    for (const { name, each } of named) {
      expect(each.label.zh, `${name}.${each.name}`).not.toBe(each.name);
      expect(each.label.en !== '' && each.label.en !== each.name, `${name}.${each.name}`).toBe(true);
    }
    expect(named).toHaveLength(143);
  });

  /** What is the same in every language: numbers, byte orders, types of numbers, units. */
  const PLAIN = /^(\d+|[A-D]{2,4}|u?int\d+|float|double|L\/s|m3\/[sh])$/;

  test.each([
    ['zh', zh],
    ['en', en],
  ])('of choices: %s', (_language, texts) => {
    const words = texts.choice as Record<string, Record<string, Record<string, string> | string>>;
    const used = new Set<string>();
    for (const { name, each } of named)
      for (const value of each.choices.map(String)) {
        const own = words[name]?.[each.name] as Record<string, string> | undefined;
        const place = own?.[value] === undefined ? `all.${value}` : `${name}.${each.name}.${value}`;
        const text = own?.[value] ?? words.all?.[value];
        if (text !== undefined) used.add(place);
        expect(text !== undefined || PLAIN.test(value), `${name}.${each.name}: ${value}`).toBe(true);
      }
    const places = Object.entries(words).flatMap(([first, of]) =>
      Object.entries(of).flatMap(([second, inner]) =>
        typeof inner === 'string'
          ? [`${first}.${second}`]
          : Object.keys(inner).map((value) => `${first}.${second}.${value}`),
      ),
    );
    expect(places.filter((place) => !used.has(place))).toEqual([]);
  });
});
