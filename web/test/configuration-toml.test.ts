import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseToml, UnreadableToml } from '@/features/configuration/toml';

const plain = (text: string): unknown => JSON.parse(JSON.stringify(parseToml(text)));

test.each<[string, unknown]>([
  ['', {}],
  ['# nothing\n\n', {}],
  ['a = 1\r\nb = "x" # c\r\n', { a: 1, b: 'x' }],
  ['a.b.c = true\na.d = false', { a: { b: { c: true }, d: false } }],
  ['"a b" = 1\n\'c.d\' = 2\n3 = 4', { 'a b': 1, 'c.d': 2, 3: 4 }],
  ['[a]\nx = 1\n[a.b]\ny = 2\n[c]', { a: { x: 1, b: { y: 2 } }, c: {} }],
  ['[a.b]\ny = 2\n[a]\nx = 1', { a: { b: { y: 2 }, x: 1 } }],
  ['[[p]]\nn = 1\n[[p]]\nn = 2\n[p.o]\nz = 3\n[[p.q]]\nr = 4', { p: [{ n: 1 }, { n: 2, o: { z: 3 }, q: [{ r: 4 }] }] }],
  ['a = { b = 1, c = { d = "e" }, f.g = [1, 2] }\nh = {}', { a: { b: 1, c: { d: 'e' }, f: { g: [1, 2] } }, h: {} }],
  ['a = [\n 1, # one\n 2,\n]\nb = [[1], ["x"]]\nc = []', { a: [1, 2], b: [[1], ['x']], c: [] }],
  [
    'a = 1_000\nb = -0.5e3\nc = 0xFF\nd = 0o17\ne = 0b11\nf = +7\ng = 2.5',
    { a: 1000, b: -500, c: 255, d: 15, e: 3, f: 7, g: 2.5 },
  ],
  ['a = "tab\\t quote\\" \\u4E2D \\U0001F600"', { a: 'tab\t quote" \u4E2D \u{1F600}' }],
  ["a = 'C:\\new'", { a: 'C:\\new' }],
  ['a = """\nfirst\n  second\\\n     third ""quoted"" """', { a: 'first\n  secondthird ""quoted"" ' }],
  ['a = """x"""""', { a: 'x""' }],
  ['a = {\n b = 1,\n}', { a: { b: 1 } }],
  ["a = '''\nno \\escape 'here'\n'''", { a: "no \\escape 'here'\n" }],
])('%j', (text, expected) => {
  expect(plain(text)).toEqual(expected);
});

test.each<[string, number, number]>([
  ['a = 1\na = 2', 2, 1],
  ['a', 1, 1],
  ['a = ', 1, 5],
  ['a = 1 b = 2', 1, 7],
  ['a = "x', 1, 5],
  ['a = "x\ny"', 1, 7],
  ['a = 01', 1, 5],
  ['a = 1.', 1, 5],
  ['a = 1\r\n\r\nb = x', 3, 5],
  ['a = [1 2]', 1, 8],
  ['[a]\n[a]', 2, 2],
  ['a = {}\n[a.b]', 2, 2],
  ['a = []\n[[a]]', 2, 3],
  ['[a\n', 1, 3],
  ['a = "\\q"', 1, 7],
])('%j ends at %i:%i', (text, line, column) => {
  const { line: atLine, column: atColumn, message } = refused(text);
  expect([atLine, atColumn]).toEqual([line, column]);
  expect(message).not.toMatch(/Invalid TOML document|\n/);
});

test.each<[string, string]>([
  ['a = inf', 'a: must be a finite number'],
  ['[[points]]\nmax = -nan', 'points[0].max: must be a finite number'],
  ['[gateway]\nsince = 1979-05-27', 'gateway.since: dates are not used in a configuration'],
  ['a = [1, [07:32:00]]', 'a[1][0]: dates are not used in a configuration'],
])('%j is no configuration: %s', (text, message) => {
  expect(refused(text)).toMatchObject({ message, line: 0 });
});

function refused(text: string): UnreadableToml {
  try {
    parseToml(text);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(UnreadableToml);
    return thrown as UnreadableToml;
  }
  throw new Error('it was read');
}

test('a name of an object is a name as any other', () => {
  const read = parseToml('__proto__ = 1\nconstructor = 2\n[toString]\nx = 3');
  expect(Object.keys(read)).toEqual(['__proto__', 'constructor', 'toString']);
  expect(({} as Record<string, unknown>).x).toBeUndefined();
});

test.each(['boiler_house', 'counter', 'protocol_zoo'])('configuration of %s', (scenario) => {
  const file = new URL(`../../firmware-sim/firmware_sim/scenarios/${scenario}/gateway.toml`, import.meta.url);
  const text = readFileSync(file, 'utf8').replaceAll(/= \$\{\w+\}/g, '= 1');
  const { ports, points } = plain(text) as Record<string, unknown[]>;
  expect(ports?.length).toBeGreaterThan(0);
  expect(points?.length).toBeGreaterThan(0);
});
