import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { frameOf, hexText, taskBroken, withoutForeign } from '@/features/fieldbus/model/frame';
import type { Target } from '@/features/fieldbus/model/frame';
import { BadContent, customBytes, momentIn, registerBytes } from '@/features/fieldbus/model/message';
import { rowOf, TASK_FIELDS, valuesOf } from '@/features/fieldbus/model/sections';
import type { Row, Values } from '@/features/fieldbus/model/sections';

interface Case {
  message: string;
  fields: Row;
  bytes?: string;
  rule?: string;
}

/** The agent's own cases. */
const CASES = JSON.parse(
  readFileSync(new URL('../../edge-agent/tests/loop_write/messages.json', import.meta.url), 'utf8'),
) as Case[];
const NOW = Date.UTC(2026, 10, 28, 9, 5, 59);
const MOMENT = momentIn('UTC', NOW);

const task = (fields: Row): Values =>
  valuesOf(TASK_FIELDS, { name: 'w', interval_s: 1, slave: 'plc', content: 'number', ...fields });
const made = ({ message, fields }: Case): readonly number[] =>
  (message === 'custom' ? customBytes : registerBytes)(task({ message, ...fields }), MOMENT);

test('the cases of the agent are read', () => {
  expect(CASES.length).toBeGreaterThan(40);
});

test.each(CASES.filter(({ bytes }) => bytes !== undefined))('$message $fields', (one) => {
  expect(hexText(made(one)).replaceAll(' ', '').toLowerCase()).toBe(one.bytes);
});

test.each(CASES.filter(({ rule }) => rule !== undefined))('$message $fields is refused', (one) => {
  expect(() => made(one)).toThrow(BadContent);
});

test('a number that a browser cannot hold is refused, not rounded', () => {
  expect(() => registerBytes(task({ value: 2 ** 60, data_type: 'uint64' }), MOMENT)).toThrow('large');
});

test('the time is that of its zone, also at midnight', () => {
  expect(momentIn('Asia/Shanghai', Date.UTC(2026, 11, 31, 16, 0, 1)).parts).toEqual([2027, 1, 1, 0, 0, 1]);
  expect(() => momentIn('Mars/Base', NOW)).toThrow('zone');
});

const target = (changes: Partial<Target> = {}, options: Row = {}): Target => ({
  name: 'plc',
  title: '',
  hasRegisters: true,
  isSerial: true,
  fields: { address: '3', options },
  ...changes,
});
const sent = (fields: Row, to: Target): string =>
  frameOf(task(fields), to, MOMENT)
    .map(({ bytes }) => hexText(bytes))
    .join(' | ');

test.each([
  [{ value: 77, offset: 10 }, target(), '03 | 06 | 00 0A | 00 4D | 68 1F'],
  [{ value: 77, offset: 10 }, target({ isSerial: false }, { unit_id: 9 }), '09 | 06 | 00 0A | 00 4D'],
  [{ value: 77, offset: 10 }, target({ isSerial: false }, { one_based: true }), '03 | 06 | 00 09 | 00 4D'],
  [
    { value: 77, offset: 10 },
    target({ isSerial: false }, { write_multiple: true }),
    '03 | 10 | 00 0A | 00 01 | 02 | 00 4D',
  ],
  [
    { value: 1.5, data_type: 'float', offset: 256 },
    target({ isSerial: false }),
    '03 | 10 | 01 00 | 00 02 | 04 | 3F C0 00 00',
  ],
  [{ value: 1, reg_type: '0X', offset: 4 }, target({ isSerial: false }), '03 | 05 | 00 04 | FF 00'],
  [{ value: 0, reg_type: '0X', offset: 4 }, target({ isSerial: false }), '03 | 05 | 00 04 | 00 00'],
  [
    { value: 1, reg_type: '0X', offset: 4 },
    target({ isSerial: false }, { write_multiple: true }),
    '03 | 0F | 00 04 | 00 01 | 01 | 01',
  ],
  [{ message: 'custom', content: 'hex', value: '01 03', checksum: 'sum8' }, target(), '01 03 | 04'],
  [{ message: 'custom', content: 'hex', value: '01 03' }, target(), '01 03'],
])('%j is sent as %s', (fields, to, expected) => {
  expect(sent(fields, to)).toBe(expected);
});

const broken = (fields: Row, to: Target = target()): Record<string, string> =>
  Object.fromEntries(
    Object.entries(taskBroken(task(fields), to, () => MOMENT)).map(([name, { rule }]) => [name, rule]),
  );

test('what is wrong stands at its field', () => {
  expect(broken({ value: 1, offset: 0 })).toEqual({});
  expect(broken({ value: 1 })).toEqual({ offset: 'required' });
  expect(broken({ value: '', offset: 0, interval_s: 0 })).toEqual({ value: 'number', interval_s: 'range' });
  expect(broken({ value: 1, offset: 0 }, target({}, { one_based: true }))).toEqual({ offset: 'oneBased' });
  expect(broken({ value: 1, offset: 0 }, target({ hasRegisters: false }))).toEqual({ message: 'customOnly' });
  expect(broken({ value: 1, offset: 0, data_type: 'uint8' })).toEqual({ data_type: 'wholeRegisters' });
  expect(broken({ message: 'custom', content: 'hex', value: '1', expect: 'x' })).toEqual({
    value: 'hex',
    expect: 'hex',
  });
  expect(broken({ message: 'custom', content: 'hex', value: '01' }, target({ hasRegisters: false }))).toEqual({});
  const zoned = taskBroken(task({ content: 'real_time', offset: 0, time_zone: 'Mars/Base' }), target(), (zone) =>
    momentIn(zone, NOW),
  );
  expect(zoned).toEqual({ time_zone: { rule: 'zone', args: {} } });
});

test('a row has nothing that does not go with its message', () => {
  const values = task({ value: 1, offset: 4, reg_type: '0X', checksum: 'crc16', expect: '06', data_type: 'uint8' });
  expect(rowOf(TASK_FIELDS, withoutForeign(values))).toEqual({
    name: 'w',
    interval_s: 1,
    slave: 'plc',
    content: 'number',
    value: 1,
    reg_type: '0X',
    offset: 4,
  });
  const custom = task({ message: 'custom', content: 'hex', value: '01', offset: 4, reg_type: '0X', expect: '06' });
  expect(rowOf(TASK_FIELDS, withoutForeign(custom))).toEqual({
    name: 'w',
    interval_s: 1,
    slave: 'plc',
    message: 'custom',
    content: 'hex',
    value: '01',
    expect: '06',
  });
});
