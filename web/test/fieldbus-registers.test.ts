import { expect, test } from 'vitest';
import {
  behindAll,
  freeOffset,
  keyOf,
  linesOf,
  mappingBroken,
  overlapsOf,
  pagesOf,
  proposedRows,
  referenceOf,
  widthOf,
  withoutForeign,
} from '@/features/fieldbus/model/registers';
import type { PointFacts } from '@/features/fieldbus/model/registers';
import { brokenIn, fieldNamed, POINT_FIELDS, rowOf, SLAVE_FIELDS, valuesOf } from '@/features/fieldbus/model/sections';
import type { Row } from '@/features/fieldbus/model/sections';

const row = (name: string, offset: number, more: Row = {}): Row => ({
  slave: 'plc',
  name,
  reg_type: '4X',
  offset,
  ...more,
});

test('a row takes as many addresses as its type', () => {
  expect(widthOf(row('a', 0))).toBe(1);
  expect(widthOf(row('a', 0, { data_type: 'float' }))).toBe(2);
  expect(widthOf(row('a', 0, { data_type: 'double' }))).toBe(4);
  expect(widthOf(row('a', 0, { data_type: 'string', length: 16 }))).toBe(16);
  expect(widthOf(row('a', 0, { reg_type: '1X' }))).toBe(1);
});

test('references are those of drawings', () => {
  expect([referenceOf('4X', 0), referenceOf('0X', 9), referenceOf('3X', 9998), referenceOf('4X', 9999)]).toEqual([
    '40001',
    '00010',
    '39999',
    '410000',
  ]);
});

test('overlaps are found within an area, whatever the order', () => {
  const wide = row('wide', 0, { data_type: 'double' });
  const [inside, behind, other] = [row('inside', 3), row('behind', 4), row('other', 3, { reg_type: '3X' })];
  const found = overlapsOf([behind, inside, other, wide]);
  expect([...found].map(([one, others]) => [keyOf(one), others.map(keyOf)])).toEqual([
    ['plc.inside', ['plc.wide']],
    ['plc.wide', ['plc.inside']],
  ]);
});

test('a short one in a long one does not hide the next', () => {
  const rows = [row('long', 0, { data_type: 'string', length: 10 }), row('short', 2), row('late', 9)];
  expect(overlapsOf(rows).size).toBe(3);
});

test('free addresses are behind what lies there', () => {
  const rows = [row('a', 0, { data_type: 'float' }), row('b', 3)];
  expect(freeOffset(rows, '4X', 1, 0)).toBe(2);
  expect(freeOffset(rows, '4X', 2, 0)).toBe(4);
  expect(freeOffset(rows, '3X', 2, 7)).toBe(7);
  expect(freeOffset([row('z', 65_535)], '4X', 1, 65_535)).toBeNull();
  expect([behindAll(rows, '4X'), behindAll(rows, '0X')]).toEqual([4, 0]);
});

test('a page is lines of segments; a point that goes on is in both lines, shared addresses are their own segment', () => {
  const rows = [row('a', 6, { data_type: 'double' }), row('b', 9), row('far', 300)];
  expect(pagesOf(rows, '4X')).toEqual([0, 256]);
  expect(pagesOf([row('over', 255, { data_type: 'float' })], '4X')).toEqual([0, 256]);
  const lines = linesOf(rows, '4X', 0, 8).map(({ start, segments }) => [
    start,
    segments.map((each) => [each.start, each.width, each.rows.map((one) => String(one.name)).join('+')]),
  ]);
  expect(lines).toEqual([
    [
      0,
      [
        [0, 6, ''],
        [6, 2, 'a'],
      ],
    ],
    [
      8,
      [
        [8, 1, 'a'],
        [9, 1, 'a+b'],
        [10, 6, ''],
      ],
    ],
  ]);
});

const point = (name: string, changes: Partial<PointFacts> = {}): PointFacts => ({
  slave: 'plc',
  name,
  title: '',
  kind: 'num',
  dataType: 'int16',
  ratio: 1,
  bias: 0,
  isWritable: true,
  length: 0,
  ...changes,
});

test('several points are laid one behind the other with the types of their devices', () => {
  const points = [
    point('level', { ratio: 0.1, bias: 5 }),
    point('flow', { dataType: 'float', isWritable: false }),
    point('small', { dataType: 'uint8' }),
    point('sum', { kind: 'cal', dataType: '' }),
    point('name', { kind: 'str', dataType: 'string', length: 8 }),
    point('pump', { kind: 'swh', dataType: 'uint16' }),
  ];
  const made = proposedRows(points, [row('x', 1)], '4X', 0, true) ?? [];
  expect(made.map((one) => [one.name, one.offset, one.data_type, one.writable])).toEqual([
    ['level', 0, 'int16', true],
    ['flow', 2, 'float', false],
    ['small', 4, 'uint16', true],
    ['sum', 5, 'float', true],
    ['name', 7, 'string', true],
    ['pump', 15, 'uint16', true],
  ]);
  expect(rowOf(POINT_FIELDS, made[0] ?? {})).toEqual(
    row('level', 0, { data_type: 'int16', ratio: 0.1, bias: 5, writable: true }),
  );
  expect(rowOf(POINT_FIELDS, proposedRows(points.slice(0, 1), [], '1X', 3, true)?.[0] ?? {})).toEqual(
    row('level', 3, { reg_type: '1X' }),
  );
  expect(proposedRows(points, [], '4X', 65_530, false)).toBeNull();
});

test('what does not go with an area is no part of the row', () => {
  const values = valuesOf(POINT_FIELDS, row('a', 0, { data_type: 'float', ratio: 2, writable: true, length: 3 }));
  expect(rowOf(POINT_FIELDS, withoutForeign({ ...values, reg_type: '1X' }))).toEqual(row('a', 0, { reg_type: '1X' }));
  expect(rowOf(POINT_FIELDS, withoutForeign(values))).toEqual(
    row('a', 0, { data_type: 'float', ratio: 2, writable: true }),
  );
});

test('faults of a mapped point', () => {
  const faults = (more: Row): Record<string, string> =>
    Object.fromEntries(
      Object.entries(mappingBroken(valuesOf(POINT_FIELDS, row('a', 0, more)))).map(([name, { rule }]) => [name, rule]),
    );
  expect(faults({})).toEqual({});
  expect(faults({ data_type: 'string' })).toEqual({ length: 'required' });
  expect(faults({ ratio: 0 })).toEqual({ ratio: 'zero' });
  expect(faults({ offset: 65_535, data_type: 'float' })).toEqual({ offset: 'beyond' });
});

test('ranges are those of the agent', () => {
  const broken = brokenIn(SLAVE_FIELDS, valuesOf(SLAVE_FIELDS, { id: 255, port: 0, baud: 9600 }));
  expect(broken).toEqual({
    id: { rule: 'range', args: { min: 1, max: 254 } },
    port: { rule: 'range', args: { min: 1, max: 65_535 } },
  });
  expect(rowOf(SLAVE_FIELDS, valuesOf(SLAVE_FIELDS, {}))).toEqual({});
});

test('faults of cloud and gateway name fields of a form', () => {
  expect(fieldNamed('body.internal_slave.port', 'internal_slave', null)).toBe('port');
  expect(fieldNamed('internal_slave.allow', 'internal_slave', null)).toBe('allow');
  expect(fieldNamed('body.points.3.offset', 'internal_slave_points', 3)).toBe('offset');
  expect(fieldNamed('document.internal_slave_points[3].slave', 'internal_slave_points', 3)).toBe('slave');
  expect(fieldNamed('internal_slave_points[2].offset', 'internal_slave_points', 3)).toBeNull();
  expect(fieldNamed('tasks.0.value', 'loop_writes', 0)).toBe('value');
  expect(fieldNamed('base', 'loop_writes', 0)).toBeNull();
});
