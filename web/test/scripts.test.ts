import { expect, it } from 'vitest';
import {
  assigned,
  bodyOf,
  draftOf,
  formulaOf,
  pairsOf,
  referencesOf,
  samplesOf,
  scalarOf,
  takenInto,
  tryOf,
} from '@/features/points/model/script';

const fields = {
  name: 'mean',
  slave: 'boiler',
  text: 'm = (p + q) / 2\nn += 1',
  inputs: { p: 'a', q: 'pump.a' },
  state: { n: 0 },
  capture_freq: 2,
  timeout_ms: 80,
};

it('a script is the same after its way through the editor', () => {
  expect(bodyOf(draftOf(fields))).toEqual(fields);
  expect(draftOf({ name: 's', slave: 'b', text: 'x = 1' })).toMatchObject({
    inputs: '',
    state: '',
    capture_freq: 1,
    timeout_ms: 50,
  });
});

it('lines are names with values', () => {
  expect(pairsOf(' p = a \n\nq=pump.a')).toEqual({ pairs: { p: 'a', q: 'pump.a' }, faulty: null });
  expect([pairsOf('p').faulty, pairsOf('p = 1\np = 2').faulty, pairsOf('a = 1\n1x = 2').faulty]).toEqual([1, 2, 2]);
  expect(['', '4.5', 'true', 'None', '"on"', 'run'].map(scalarOf)).toEqual([null, 4.5, true, null, 'on', 'run']);
});

it('a try has a value for every input, and the outputs that points take', () => {
  const draft = draftOf(fields);
  expect(tryOf(draft, 'p = 4', ['m'])).toEqual({
    kind: 'script',
    text: fields.text,
    inputs: { p: 4, q: null },
    outputs: ['m'],
    state: { n: 0 },
    timeout_ms: 80,
  });
  expect(tryOf(draft, '', []).outputs).toEqual(['m']);
  expect(assigned('a = 1\nif a == 2:\n    b += a\nc //= 2')).toEqual(['a', 'b', 'c']);
});

it('a formula is tried with every point that it names, and with current values where there are some', () => {
  const formula = 'max(level, pump.a) * 1e3 + {2nd} if {meter-1.Ua} > pi and mode == "x.y" else level';
  expect(referencesOf(formula)).toEqual(['level', 'pump.a', '2nd', 'meter-1.Ua', 'mode']);
  expect(formulaOf('level + {2nd}', 'level = 3\n2nd = 4')).toEqual({
    kind: 'formula',
    text: 'level + {2nd}',
    inputs: { level: 3, '2nd': 4 },
  });
  const values = new Map<string, unknown>([
    ['tank.level', 7.5],
    ['pump.a', true],
    ['tank.gone', null],
  ]);
  const references = { p: 'level', q: 'pump.a', r: 'gone', s: 'tank.unknown' };
  expect(samplesOf(references, 'tank', values, 'r = 2')).toBe('p = 7.5\nq = true\nr = 2\ns = 0');
});

it('values that arrive late leave what was typed since the request', () => {
  const values = new Map<string, unknown>([
    ['tank.level', 7.5],
    ['pump.a', true],
  ]);
  const references = { p: 'level', q: 'pump.a' };
  const late = (asked: string, now: string): string => takenInto(references, 'tank', values, asked, now);
  expect(late('', '')).toBe('p = 7.5\nq = true');
  expect(late('p = 0\nq = 0', 'p = 4\nq = 0')).toBe('p = 4\nq = true');
  expect(late('', 'p = 4\nq = 8')).toBe('p = 4\nq = 8');
  expect(late('p = 0\nq = 0', 'p = 0\nq\nother = 1')).toBe('p = 7.5\nq\nother = 1');
});
