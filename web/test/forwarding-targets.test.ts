import { expect, test } from 'vitest';
import { differences } from '@/features/forwarding/model/moved';
import { brokenIn } from '@/features/forwarding/model/faults';
import { faultsIn, formOf, KINDS, kindRule, SECTIONS } from '@/features/forwarding/model/form';
import type { FormField } from '@/features/forwarding/model/form';
import { codesOf, matchesSearch, rowsFor, suggestedCode } from '@/features/forwarding/model/suggest';
import { troubleOf } from '@/features/forwarding/model/trouble';
import { freeName, joined } from '@/features/forwarding/model/targets';
import { fieldsOf, newRow, pairsOf, placeOf, valuesOf } from '@/features/forwarding/model/values';

const BUREAU = {
  name: 'bureau',
  kind: 'hj212',
  options: {
    server: '212.example.cn',
    port: 9001,
    mn: 'A1',
    pw: '******',
    flag: 0,
    states: { '1': 'M' },
    of_a_newer_agent: [1],
    mapping: [{ factor: 'w01018', point: 'plc.cod', types: ['rtd'], of_a_newer_agent: 1 }],
  },
};
const field = (kind: string, name: string): FormField => {
  const known = formOf(kind)?.fields.find((each) => each.name === name);
  if (known === undefined) throw new Error(`${kind} has no ${name}`);
  return known;
};

test('every field of every kind has a section that there is', () => {
  const names = SECTIONS.map(({ name }) => name);
  expect(KINDS.toSorted()).toEqual(['file', 'hj212', 'mqtt']);
  for (const kind of KINDS) for (const each of formOf(kind)?.fields ?? []) expect(names).toContain(each.section);
});

test('what a form shows goes back as it was; defaults are left out, what is not known stays', () => {
  const values = valuesOf('hj212', BUREAU);
  expect(values).toMatchObject({ option_st: '32', option_version: '2017', option_flag: 0, option_states: '1 = M' });
  expect(fieldsOf('hj212', values, BUREAU)).toEqual(BUREAU);
  const changed = { ...values, option_port: '', option_timeout_s: 10, option_crc: 'crc16_modbus', max_mb: 7 };
  expect(fieldsOf('hj212', changed, BUREAU)).toEqual({
    name: 'bureau',
    kind: 'hj212',
    max_mb: 7,
    options: {
      ...Object.fromEntries(Object.entries(BUREAU.options).filter(([name]) => name !== 'port')),
      crc: 'crc16_modbus',
    },
  });
});

test('ranges, patterns and what is needed are judged at their places; a masked secret is not', () => {
  const values = valuesOf('hj212', BUREAU);
  expect(brokenIn('hj212', values)).toEqual({});
  const rows = values.option_mapping as readonly Record<string, unknown>[];
  const wrong = {
    ...values,
    name: 'a b',
    option_mn: '',
    option_pw: '1234567',
    option_timeout_s: 100,
    option_mapping: [...rows, { ...rows[0], converted: true }, { ...rows[0], point: '' }],
  };
  const rules = Object.fromEntries(Object.entries(brokenIn('hj212', wrong)).map(([place, { rule }]) => [place, rule]));
  expect(rules).toEqual({
    name: 'pattern',
    option_mn: 'required',
    option_pw: 'pattern',
    option_timeout_s: 'range',
    'option_mapping.2.point': 'required',
    'option_mapping.2.factor': 'twice',
  });
  expect(brokenIn('hj212', { ...values, option_mapping: [] })).toMatchObject({ option_mapping: { rule: 'required' } });
});

test('a fault of the gateway or the cloud finds its input', () => {
  const values = valuesOf('hj212', BUREAU);
  const places = [
    'forwarders[2].options.mapping[1].factor',
    'forwarder.name',
    'document.forwarders[0].options.pw',
    'forwarders[2].options.states.7',
    'forwarders[2].options.none',
    'forwarders[2].options.mapping',
    'base',
  ].map((path) => placeOf(path, values));
  expect(places).toEqual([
    'option_mapping.1.factor',
    'name',
    'option_pw',
    'option_states',
    null,
    'option_mapping',
    null,
  ]);
});

test('codes are found by code and both names, and proposed by title and unit', () => {
  const codes = codesOf(formOf('hj212'), valuesOf('hj212', BUREAU));
  const known = codes.find(({ code }) => code === 'w00000');
  if (known === undefined) throw new Error('w00000 is not in the list');
  for (const search of ['W000', '污水', 'waste water']) expect(matchesSearch(known, search)).toBe(true);
  expect(matchesSearch(known, 'nothing of it')).toBe(false);
  const of = (title: string, unit = ''): string => suggestedCode({ name: 'plc.x', title, unit }, codes);
  expect(of('出口pH值')).toBe('w01001');
  expect(of('Outlet pH')).toBe('w01001');
  expect(of('Phase current', 'A')).toBe('');
  expect(of('1# 溶解氧', 'mg/L')).toBe('w01009');
  expect(codesOf(formOf('mqtt'), {})).toEqual([]);
});

test.each([
  ['O2', '%', 'a19001'],
  ['Flue gas O2', '%', 'a19001'],
  ['烟气含氧量', '%', 'a19001'],
  ['Oxygen content', '', 'a19001'],
  ['1# SO2', 'mg/m3', 'a21026'],
  ['NOx 浓度', 'mg/Nm³', 'a21002'],
  ['CO2', '', 'a05001'],
  ['COD2', 'mg/L', 'w01018'],
  ['出口氨氮', 'mg/L', 'w21003'],
  ['NH3-N', 'mg/L', 'w21003'],
  ['NH3', 'ppm', 'a21001'],
  ['TP', '', 'w21011'],
  ['总氮 TN', 'mg/L', 'w21001'],
  ['Outlet flow', 'L/s', 'w00000'],
  ['流量', 'm³/s', 'a00000'],
  ['氟化物', 'mg/m³', 'a21018'],
  ['氟化物', 'mg/L', 'w21017'],
  // what is open is not guessed, and a unit of another kind is another thing
  ['Flow', 'm³/h', ''],
  ['氟化物', '', ''],
  ['O2 analyser temperature', '°C', ''],
  ['No. 10 fan', '', ''],
])('the factor of "%s" in %s is %s', (title, unit, code) => {
  const codes = codesOf(formOf('hj212'), { option_version: '2017' });
  expect(suggestedCode({ name: 'plc.x', title, unit }, codes)).toBe(code);
});

test('a code of digits alone is no word of a title', () => {
  const codes = codesOf(formOf('hj212'), { option_version: '2005' });
  expect(suggestedCode({ name: 'plc.x', title: 'Tank 10', unit: '' }, codes)).toBe('');
  expect(suggestedCode({ name: 'plc.o2', title: '', unit: '%' }, codes)).toBe('S01');
});

test('a code is found by its abbreviation', () => {
  const codes = codesOf(formOf('hj212'), { option_version: '2017' });
  expect(codes.filter((code) => matchesSearch(code, 'o2')).map(({ code }) => code)).toContain('a19001');
});

test('several points become rows, each once, with what can be proposed', () => {
  const mapping = field('hj212', 'mapping');
  const codes = codesOf(formOf('hj212'), valuesOf('hj212', BUREAU));
  const points = [
    { name: 'plc.cod', title: 'COD', unit: 'mg/L' },
    { name: 'plc.ph', title: 'pH', unit: '' },
  ];
  const rows = rowsFor(mapping, [newRow(mapping, { point: 'plc.cod' })], points, codes);
  expect(rows).toMatchObject([
    { point: 'plc.ph', factor: 'w01001', types: ['rtd', 'avg', 'min', 'max'], units: ['m', 'h', 'd'] },
  ]);
  const variables = field('mqtt', 'variables');
  expect(rowsFor(variables, [], points, [])).toMatchObject([
    { point: 'plc.cod', name: 'cod', write: false },
    { name: 'ph' },
  ]);
});

test('pairs are lines', () => {
  expect(pairsOf('1 = M\n\n 2=C\nodd')).toEqual({ '1': 'M', '2': 'C', odd: '' });
});

test('a reason is told in words with the fields that mend it', () => {
  const mending = (reason: string): (readonly string[] | undefined)[] =>
    faultsIn('hj212', reason).map(({ fields, page }) => (page === true ? ['page'] : fields));
  expect(mending('the platform refused CN=2011: PW is wrong (QnRtn=3)')).toEqual([['pw']]);
  expect(mending('the platform refused CN=2011: MN is wrong (QnRtn=4)')).toEqual([['mn']]);
  expect(mending('the platform refused CN=2051: CRC is wrong (QnRtn=9); no pw is set for this target: set it')).toEqual(
    [['page'], ['crc']],
  );
  expect(mending('127.0.0.1:9001: Connection refused')).toEqual([['server', 'port']]);
  expect(mending('something new')).toEqual([]);
  expect(faultsIn('none', 'x')).toEqual([]);
});

test('what no kind has words for is told by the kind of trouble', () => {
  expect(
    [
      'hj.example.cn: Temporary failure in name resolution',
      'TLS with 10.0.0.1: certificate has expired',
      '/mnt/usb: No space left on device',
      'not authorised',
      '10.0.0.1:9001: Connection refused',
      'no answer within 5 s',
      'rejected by the peer (code 7)',
      'unexpected EOF',
      'segment 7 came twice',
    ].map(troubleOf),
  ).toEqual(['name', 'tls', 'storage', 'signIn', 'reach', 'reach', 'refused', 'reach', 'other']);
});

test('a secret that somebody else changed is known by its name alone', () => {
  const mine = valuesOf('hj212', BUREAU);
  expect(differences('hj212', BUREAU, BUREAU, mine)).toEqual([]);
  const [pw, ...others] = differences('hj212', BUREAU, BUREAU, { ...mine, option_pw: '1' }, ['options.pw']);
  expect([pw?.field.name, pw?.isMineToo, others.length]).toEqual(['pw', true, 0]);
});

test('rules that a kind alone has are told in words', () => {
  const rule = 'must be a point of this configuration; there is no plc.x';
  expect(kindRule('hj212', rule, 'zh-CN')).toBe('数据点 plc.x 不存在');
  expect(kindRule('hj212', rule, 'en')).toBe('there is no point plc.x');
  expect(kindRule('hj212', 'must be blue', 'en')).toBeNull();
});

test('targets of the draft and of the gateway are one list', () => {
  const reported = { condition: 'up', reason: '', kind: 'file', rejects: [], reported_ms: 1 };
  const rows = joined(
    [{ at: 0, fields: BUREAU }],
    ['bureau', 'usb'].map((name) => ({ ...reported, name }) as never),
  );
  expect(rows.map(({ name, condition, fields }) => [name, condition, fields === null])).toEqual([
    ['bureau', 'up', false],
    ['usb', 'up', true],
  ]);
  expect(joined([{ at: 0, fields: BUREAU }], [])[0]?.condition).toBe('unreported');
  expect(freeName('mqtt', ['mqtt', 'mqtt-2'])).toBe('mqtt-3');
});
