import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { floatOf, rangeText } from '@/components/form/range';
import { beyondLimits, EMPTY, faultsOf } from '@/features/devices/draft';
import { faultyDefaults } from '@/features/templates/model/gateway';

const SOURCES = join(__dirname, '../src');

test('a number beyond its limits is told and not put right', () => {
  expect([rangeText('', 1, 5), rangeText(1, 1, 5), rangeText('5', 1, 5), rangeText(-9, undefined, 5)]).toEqual([
    null,
    null,
    null,
    null,
  ]);
  expect(
    [rangeText(6, 1, 5), rangeText('999999999999999999999', 1, undefined), rangeText(0, 1, undefined)].map(
      (text) => text === null,
    ),
  ).toEqual([false, true, false]);
});

test('a field holds a float or nothing once it is left', () => {
  expect([
    floatOf('1.'),
    floatOf('-'),
    floatOf(''),
    floatOf(undefined),
    floatOf('2.50'),
    floatOf(3),
    floatOf('999999999999999999999'),
  ]).toEqual([1, '', '', '', 2.5, 3, '999999999999999999999']);
});

test('limits of several gateways at once are those of one', () => {
  const draft = {
    ...EMPTY,
    device_title: 'Pump',
    gateway_id: 'GW-1',
    report_interval_s: 999_999_999,
    slave_timeout_ms: 10.5,
    collect_interval_s: '',
  };
  expect(beyondLimits(draft)).toEqual(['report_interval_s', 'slave_timeout_ms']);
  expect(faultsOf({ ...draft, place: { longitude: 116, latitude: Number.NaN } }, true)).toEqual({
    report_interval_s: 'range',
    slave_timeout_ms: 'range',
    place: 'place',
  });
  expect(faultyDefaults({ port: { capture_cycle_ms: 9 }, slave: { retries: 3, storage_cycle_s: 90_000 } })).toBe(2);
});

test('every field for a number keeps what was typed', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));
  expect(files.filter((name) => readFileSync(join(SOURCES, name), 'utf8').includes('<NumberInput'))).toEqual([
    join('components', 'form', 'NumberField.tsx'),
  ]);
});
