import { expect, test } from 'vitest';
import { fieldAt } from '@/blocks/points/document';
import { makeWithNotes } from '@/components/sheet/model/notes';
import { isSameEdit, loadedOf, useEdits } from '@/features/templates/model/edits';
import { contentOf, editOf, pinnedToNewest, pins } from '@/features/templates/model/gateway';
import { freeName, freshName, nameFaults, newLine, valueAt, withValue } from '@/features/templates/model/lines';
import { faultyPoints, pointsOf, rowsOf, slavesWithPoints, withPointsOf } from '@/features/templates/model/points';
import { droppedAt, groupsFor, placeBeside, treeOf } from '@/features/templates/model/tree';
import type { TemplateRow } from '@/features/templates/api';

function node(template_id: number, parent_id: number | null, more: Partial<TemplateRow> = {}): TemplateRow {
  return {
    template_id,
    parent_id,
    kind: 'group',
    category: 'point',
    title: `n${template_id}`,
    protocol: '',
    remark: '',
    owner: 'a',
    shared: false,
    writes: true,
    place: 0,
    newest: 1,
    points: 0,
    slaves: 0,
    created_ms: 0,
    ...more,
  };
}

const ROWS = [
  node(1, null),
  node(2, 1),
  node(3, 2, { kind: 'template', newest: 4 }),
  node(4, null, { kind: 'template' }),
  node(5, null, { writes: false }),
];

test('the rows are a tree; only groups have children', () => {
  const [first, second] = treeOf(ROWS, ({ newest }) => `v${newest}`);
  expect(first?.children?.[0]?.children?.[0]).toEqual({ id: '3', label: 'n3', note: 'v4' });
  expect(second).not.toHaveProperty('children');
});

test('a group goes neither into itself nor below itself, nor into what is only shared', () => {
  expect(groupsFor(ROWS, 1).map(({ template_id }) => template_id)).toEqual([]);
  expect(groupsFor(ROWS, 4).map(({ template_id }) => template_id)).toEqual([1, 2]);
});

test('the place beside a sibling, none at the ends', () => {
  expect([placeBeside(ROWS, 4, -1), placeBeside(ROWS, 1, -1), placeBeside(ROWS, 4, 1)]).toEqual([0, null, 2]);
});

test('a dragged node goes into groups and beside others, never into itself or what is shared', () => {
  const drop = (id: number, target: number, position: 'before' | 'after' | 'inside'): unknown =>
    droppedAt(ROWS, { id: String(id), target: String(target), position });
  expect(drop(4, 1, 'inside')).toEqual({ parent: 1, place: undefined });
  expect(drop(4, 1, 'before')).toEqual({ parent: null, place: 0 });
  expect(drop(4, 3, 'after')).toEqual({ parent: 2, place: 1 });
  expect([
    drop(1, 2, 'inside'),
    drop(4, 3, 'inside'),
    drop(4, 5, 'inside'),
    drop(5, 1, 'inside'),
    drop(4, 4, 'before'),
  ]).toEqual([null, null, null, null, null]);
});

test('a value at a path comes and goes without a trace', () => {
  const line = newLine({ name: 'a' });
  const set = withValue(line, 'address.offset', 4);
  expect([valueAt(set.fields, 'address.offset'), set.fields, set.key]).toEqual([
    4,
    { name: 'a', address: { offset: 4 } },
    line.key,
  ]);
  expect(withValue(set, 'address.offset', undefined).fields).toEqual({ name: 'a' });
  expect(withValue(set, 'address.offset', 4)).toBe(set);
});

test('names are free, and wrong ones are told', () => {
  expect([freeName(new Set(['p1', 'p2']), 'p1'), freeName(new Set(), 'p')]).toEqual(['p3', 'p1']);
  expect([freshName(new Set(), 'com1'), freshName(new Set(['com1', 'com2']), 'com1')]).toEqual(['com1', 'com3']);
  const lines = ['a', 'a', '', 'x-1'].map((name) => newLine({ name }));
  expect([...nameFaults(lines, false).values()]).toEqual(['twice', 'missing', 'form']);
  expect([...nameFaults(lines, true).values()]).toEqual(['twice', 'missing']);
  let n = 0;
  expect(nameFaults(lines.slice(0, 2), false, () => String(n++)).size).toBe(0);
});

test('a gateway template is the same after its editor', () => {
  const content = {
    ports: [{ name: 'com1' }],
    slaves: [
      { name: 'm1', port: 'com1' },
      { name: 'm2', port: 'com1' },
    ],
    points: [{ slave: 'm2', name: 'a' }],
    templates: { m1: { template_id: 3, version: 2 } },
    defaults: { slave: { retries: 1 } },
  };
  const edit = editOf(content);
  expect(contentOf(edit)).toEqual(content);
  expect(pins(ROWS, edit.slaves).map(({ value }) => value)).toEqual(['3@4', '4@1', '3@2']);
  expect(pinnedToNewest(ROWS, edit.slaves).map(({ fields }) => fields.template)).toEqual(['3@4', undefined]);
});

test('points of a template are edited as fields and kept as rows', () => {
  const rows = [
    { slave: 'm2', name: 'a', title: 'A', address: { offset: 3, later: 1 }, text: 'x', own: [1] },
    { name: 'b', address: {} },
  ];
  const points = pointsOf({ points: rows });
  expect(points[0]?.fields).toEqual({
    slave: 'm2',
    ds_name: 'a',
    ds_title: 'A',
    addroffset: 3,
    'address.later': 1,
    'row.text': 'x',
    own: [1],
  });
  expect(rowsOf(points)).toEqual([rows[0], { name: 'b' }]);
  expect([fieldAt('address.reg_type'), fieldAt('title'), fieldAt('ratio')]).toEqual(['regtype', 'ds_title', 'ratio']);
});

test('names of points that cannot be saved are counted slave by slave', () => {
  const points = pointsOf({
    points: [
      { slave: 'm', name: 'a' },
      { slave: 'n', name: 'a' },
      { slave: 'n', name: 'a' },
      { slave: 'm', name: 'x-1' },
    ],
  });
  expect(faultyPoints(points)).toBe(3);
});

test('own points are edited slave by slave and stay in their place', () => {
  const points = pointsOf({
    points: [
      { slave: 'm', name: 'a' },
      { slave: 'n', name: 'b' },
      { slave: 'm', name: 'c' },
    ],
  });
  const fresh = pointsOf({ points: [{ name: 'd' }] });
  expect(rowsOf(withPointsOf(points, 'm', fresh))).toEqual([
    { slave: 'm', name: 'd' },
    { slave: 'n', name: 'b' },
  ]);
  const slaves = [{ name: 'm', template: '1@1' }, { name: 'o', template: '1@1' }, { name: 'p' }].map((fields) =>
    newLine(fields),
  );
  expect(slavesWithPoints(slaves, points)).toEqual(['m', 'p', 'n']);
});

test('what is edited of a template outlives its screen', () => {
  useEdits.getState().change(7, 2, 'edit');
  expect(useEdits.getState().byTemplate[7]).toEqual({ at: 2, edit: 'edit' });
  useEdits.getState().end(7);
  expect(useEdits.getState().byTemplate).toEqual({});
});

test('an edit that was taken back is the loaded one, whose rows keep their keys', () => {
  const content = {
    ports: [{ name: 'a', baud: 9600 }],
    slaves: [],
    points: [{ name: 'p', slave: 's' }],
    defaults: { retries: 2 },
  };
  const loaded = loadedOf(content, editOf);
  expect(loadedOf(content, editOf)).toBe(loaded);
  const port = loaded.ports[0] ?? newLine({});
  expect(isSameEdit(loaded, { ...loaded, ports: [withValue(port, 'baud', 1200)] })).toBe(false);
  expect(isSameEdit(loaded, { ...loaded, ports: [withValue(withValue(port, 'baud', 1200), 'baud', 9600)] })).toBe(true);
  expect(isSameEdit(loaded, { ...loaded, ports: [newLine(port.fields)] })).toBe(false);
  expect(isSameEdit(loaded, { ...loaded, slaves: [port] })).toBe(false);
});

test('notes stand where no fault is, and rows without a change stay the same', () => {
  const withNotes = makeWithNotes();
  const note = new Map([
    ['ratio', { level: 'note', text: 'n' } as const],
    ['unit', { level: 'note', text: 'n' } as const],
  ]);
  const faults = new Map([[1, new Map([['ratio', { level: 'error', text: 'e' } as const]])]]);
  const first = withNotes(faults, new Map([[1, note]]));
  expect([...(first.get(1) ?? [])].map(([field, { level }]) => `${field}:${level}`)).toEqual([
    'ratio:error',
    'unit:note',
  ]);
  expect(withNotes(faults, new Map([[1, note]])).get(1)).toBe(first.get(1));
  expect(withNotes(faults, new Map())).toBe(faults);
});
