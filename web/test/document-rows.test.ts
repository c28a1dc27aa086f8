import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROW_SECTIONS, valueAt, withField } from '@/lib/document/rows';
import type { Fields } from '@/lib/document/rows';

interface Case {
  case: string;
  row: Fields;
  path: string[];
  value: unknown;
  made: Fields;
}

const CASES = JSON.parse(
  readFileSync(new URL('../../broker-config/contract/tests/document/value.json', import.meta.url), 'utf8'),
) as Case[];

test('the cases of the contract are read', () => {
  expect(CASES.length).toBeGreaterThan(4);
});

test.each(CASES)('$case', ({ row, path, value, made }) => {
  const before = structuredClone(row);
  const found = withField(row, path.join('.'), value ?? undefined);
  expect(found).toEqual(made);
  expect(valueAt(found, path.join('.'))).toEqual(value ?? undefined);
  expect(row).toEqual(before);
});

test('a row in which nothing changes is the same one', () => {
  const row = { address: { offset: 1 } };
  expect(withField(row, 'address.offset', 1)).toBe(row);
});

test('sections are those of the contract, each behind what it names', () => {
  expect(ROW_SECTIONS).toEqual([
    'forwarders',
    'ports',
    'slaves',
    'points',
    'scripts',
    'internal_slave_points',
    'loop_writes',
    'calibrations',
    'channels',
  ]);
});
