import { describe, expect, test } from 'vitest';
import { inView, layoutOf, revealing } from '@/components/sheet/layout';
import { applied, entered, isClosed, normal } from '@/components/sheet/model/change';
import { fromClipboard, tiled, toClipboard } from '@/components/sheet/model/clipboard';
import {
  countedDown,
  filledDown,
  inserted,
  nextFault,
  pasted,
  pulledDown,
  removed,
  texts,
} from '@/components/sheet/model/edits';
import { series } from '@/components/sheet/model/fill';
import { emptyHistory, redo, remembered, undo } from '@/components/sheet/model/history';
import { advanced, blockOf, followed, jumped, clamped, moved, one, span } from '@/components/sheet/model/selection';
import { askOf } from '@/components/sheet/keys';
import type { Change, Column } from '@/components/sheet/types';

interface Row {
  id: number;
  name: string;
  address: string;
}

const SIZE = { rows: 5, columns: 3 };
const place = (row: number, column: number) => ({ row, column });

const name: Column<Row> = {
  key: 'name',
  title: 'Name',
  kind: 'text',
  read: (row) => row.name,
  write: (row, text) => ({ row: { ...row, name: text } }),
};
const address: Column<Row> = {
  key: 'address',
  title: 'Address',
  kind: 'number',
  read: (row) => row.address,
  write: (row, text) => (text.length > 5 ? { fault: 'too long' } : { row: { ...row, address: text } }),
  readOnly: (row) => row.name === 'locked',
};
const columns = [name, address];
const rowKey = (row: Row): number => row.id;
const rowsOf = (...names: string[]): Row[] =>
  names.map((each, at) => ({ id: at + 1, name: each, address: String(at) }));
let next = 100;
const newRow = (copyOf: Row | null): Row => ({ ...(copyOf ?? { name: '', address: '' }), id: ++next });
const rules = { rowKey, columns, newRow, maxRows: 10, faultOf: () => null };

describe('selection', () => {
  test('moves to the edges, extends from its anchor, and is cut with the rows', () => {
    expect(moved(one(place(4, 2)), 'down', SIZE)).toEqual(one(place(4, 2)));
    expect(moved(one(place(1, 1)), 'right', SIZE, { extend: true })).toEqual(span(place(1, 1), place(1, 2)));
    expect(blockOf(span(place(3, 2), place(1, 0)))).toEqual({ top: 1, left: 0, bottom: 3, right: 2 });
    expect(clamped(span(place(2, 1), place(4, 2)), { rows: 3, columns: 3 })).toEqual(span(place(2, 1), place(2, 2)));
    expect(clamped(one(place(3, 1)), { rows: 0, columns: 3 }).active).toEqual(place(0, 1));
  });

  test('stays on its column when another comes before it, and at its place when its own goes', () => {
    const block = span(place(1, 0), place(2, 1));
    expect(followed(block, ['name', 'address'], ['read', 'name', 'address'])).toEqual(span(place(1, 1), place(2, 2)));
    expect(followed(block, ['name', 'address'], ['name', 'address', 'read'])).toBe(block);
    expect(followed(one(place(1, 1)), ['name', 'address'], ['name', 'unit'])).toEqual(one(place(1, 1)));
  });

  test('jumps to the end of what is filled, or over the gap', () => {
    const filled = new Set([0, 1, 4]);
    const down = (row: number) =>
      jumped(one(place(row, 0)), 'down', SIZE, false, (at) => filled.has(at.row)).active.row;
    expect([down(0), down(1), down(2), down(4)]).toEqual([1, 4, 4, 4]);
  });

  test('Tab and Enter walk through a block and keep it', () => {
    const block = span(place(1, 1), place(2, 2));
    const seen = [block];
    while (seen.length < 5) seen.push(advanced(seen.at(-1) ?? block, 'right', SIZE));
    expect(seen.map(({ active }) => active)).toEqual([place(1, 1), place(1, 2), place(2, 1), place(2, 2), place(1, 1)]);
    expect(blockOf(advanced(block, 'down', SIZE))).toEqual(blockOf(block));
    expect(advanced(block, 'down', SIZE).active).toEqual(place(2, 1));
    expect(advanced(block, 'up', SIZE).active).toEqual(place(2, 2));
  });
});

describe('clipboard', () => {
  test.each([
    [
      'a\tb\r\nc\td\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['"two\nlines"\t"a ""b"""', [['two\nlines', 'a "b"']]],
    ['5" pipe\t"open', [['5" pipe', '"open']]],
    ['"a" b\tc', [['"a" b', 'c']]],
    [
      'a\t\n\tb',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    ['', [['']]],
    ['one', [['one']]],
    ['a\n\nb', [['a'], [''], ['b']]],
  ])('%j', (text, cells) => {
    expect(fromClipboard(text)).toEqual(cells);
  });

  test('what is copied is what is pasted', () => {
    const cells = [
      ['a', 'b\tc', 'd "e"'],
      ['', 'line\r\nline', '"'],
    ];
    expect(fromClipboard(toClipboard(cells))).toEqual(cells);
    expect(toClipboard([['a b', 'c']])).toBe('a b\tc');
  });

  test('fills a selection that it fits into', () => {
    expect(tiled([['x']], 2, 2)).toEqual([
      ['x', 'x'],
      ['x', 'x'],
    ]);
    expect(tiled([['a'], ['b']], 4, 1)).toEqual([['a'], ['b'], ['a'], ['b']]);
    expect(tiled([['a'], ['b']], 3, 1)).toEqual([['a'], ['b']]);
  });
});

describe('fill', () => {
  test.each([
    [['40001', '40003'], 2, 0, ['40005', '40007']],
    [['1'], 2, 0, ['1', '1']],
    [['1'], 2, 1, ['2', '3']],
    [['0.1', '0.2'], 2, 0, ['0.3', '0.4']],
    [['5', '3'], 3, 0, ['1', '-1', '-3']],
    [['Pump 08'], 3, 0, ['Pump 09', 'Pump 10', 'Pump 11']],
    [['DB1.DBW2', 'DB1.DBW4'], 1, 0, ['DB1.DBW6']],
    [['007'], 1, 0, ['008']],
    [['a', 'b'], 3, 0, ['a', 'b', 'a']],
    [['x1', 'y2'], 1, 1, ['x1']],
    [['1234567890123456789'], 1, 1, ['1234567890123456789']],
    [[''], 1, 1, ['']],
  ])('%j', (seeds, count, stepOfOne, expected) => {
    expect(series(seeds, count, stepOfOne)).toEqual(expected);
  });
});

describe('changes', () => {
  test('several texts into one row add up, refused and fixed cells are told, rows are added at the end', () => {
    const rows = rowsOf('a', 'locked');
    const outcome = entered(
      rows,
      [
        { row: 0, column: 0, text: 'b' },
        { row: 0, column: 1, text: '77' },
        { row: 1, column: 1, text: '5' },
        { row: 0, column: 1, text: '123456' },
        { row: 2, column: 0, text: 'new' },
        { row: 2, column: 1, text: '9' },
        { row: 0, column: 2, text: 'no column' },
        { row: 10, column: 0, text: 'too many' },
      ],
      rules,
    );
    expect(outcome.change.changed.map(({ after }) => after)).toEqual([{ id: 1, name: 'b', address: '77' }]);
    expect(outcome.change.added).toMatchObject([{ at: 2, row: { name: 'new', address: '9' } }]);
    expect([outcome.refused.length, outcome.fixed, outcome.beyond]).toEqual([1, 1, 2]);
    expect(rows).toEqual(rowsOf('a', 'locked'));
  });

  test('what a column keeps although it is wrong stands in its cell when it is pasted, and is told', () => {
    const kept = rules.columns.map((column) => ({
      ...column,
      keep: (row: Row, text: string): Row => ({ ...row, [column.key]: text }),
    }));
    const entry = { row: 0, column: 1, text: '123456' };
    const outcome = entered(rowsOf('a'), [entry], { ...rules, columns: kept, keeps: true });
    expect(outcome.change.changed.map(({ after }) => after.address)).toEqual(['123456']);
    expect([outcome.refused.length, outcome.wrong.length]).toEqual([0, 1]);
    expect(entered(rowsOf('a'), [entry], { ...rules, columns: kept }).refused).toHaveLength(1);
  });

  test('below the last row rows are added, where they may be', () => {
    const rows = rowsOf('a');
    expect([
      isClosed(name, undefined, true),
      isClosed(name, undefined, false),
      isClosed(address, rows[0], false),
    ]).toEqual([false, true, false]);
    const below = { top: 1, left: 0, bottom: 1, right: 0 };
    const { change } = entered(rows, pasted([['b'], ['c']], below).entries, rules);
    expect(applied(rows, change, rowKey).map((row) => row.name)).toEqual(['a', 'b', 'c']);
    expect(inserted(rows, below, 10, newRow, false).added.map(({ at }) => at)).toEqual([1]);
  });

  test('the same text is no change', () => {
    expect(entered(rowsOf('a'), [{ row: 0, column: 0, text: 'a' }], rules).change).toEqual({
      changed: [],
      added: [],
      removed: [],
    });
  });

  test('labels and words of other programs are taken', () => {
    const choice: Column<Row> = { ...name, kind: 'select', options: [{ value: '3', label: 'Input' }] };
    expect([normal(choice, ' input '), normal(choice, '3'), normal(choice, 'other')]).toEqual(['3', '3', 'other']);
    const flag: Column<Row> = { ...name, kind: 'switch' };
    const words = { yes: new Set(['ja']), no: new Set(['nein']) };
    expect([normal(flag, 'TRUE'), normal(flag, 'Ja', words), normal(flag, 'nein', words), normal(flag, '')]).toEqual([
      '1',
      '1',
      '0',
      '0',
    ]);
  });

  test('any row of steps is taken back and done again', () => {
    const start = rowsOf('a', 'b', 'c', 'd');
    let rows: readonly Row[] = start;
    let history = emptyHistory<Row>();
    const doneWith = (change: Change<Row>): void => {
      rows = applied(rows, change, rowKey);
      history = remembered(history, change);
    };
    doneWith(removed(rows, { top: 1, left: 0, bottom: 2, right: 1 }, (row) => row.name !== 'c'));
    expect(rows.map((row) => row.name)).toEqual(['a', 'c', 'd']);
    doneWith(inserted(rows, { top: 0, left: 0, bottom: 1, right: 1 }, 10, newRow, true));
    expect(rows.map((row) => row.name)).toEqual(['a', 'c', 'a', 'c', 'd']);
    doneWith(entered(rows, filledDown(rows, columns, { top: 0, left: 0, bottom: 4, right: 0 }), rules).change);
    const end = rows;
    expect(rows.every((row) => row.name === 'a')).toBe(true);
    for (let step = undo(history); step !== null; step = undo(history)) {
      rows = applied(rows, step.change, rowKey);
      history = step.history;
    }
    expect(rows).toEqual(start);
    for (let step = redo(history); step !== null; step = redo(history)) {
      rows = applied(rows, step.change, rowKey);
      history = step.history;
    }
    expect(rows).toEqual(end);
  });

  test('a hundred steps are kept', () => {
    let history = emptyHistory<Row>();
    for (let step = 0; step < 120; step++)
      history = remembered(history, { changed: [], added: [{ at: step, row: rowsOf('x')[0] as Row }], removed: [] });
    expect([history.done.length, history.done[0]?.added[0]?.at]).toEqual([100, 20]);
  });
});

describe('edits', () => {
  const rows = rowsOf('P1', 'P3', '', '', '');

  test('copied, pasted beyond the block, filled', () => {
    expect(texts(rows, columns, { top: 0, left: 0, bottom: 1, right: 1 })).toEqual([
      ['P1', '0'],
      ['P3', '1'],
    ]);
    expect(
      pasted(
        [
          ['a', 'b'],
          ['c', 'd'],
        ],
        { top: 3, left: 1, bottom: 3, right: 1 },
      ).block,
    ).toEqual({ top: 3, left: 1, bottom: 4, right: 2 });
    const down = filledDown(rows, columns, { top: 1, left: 0, bottom: 1, right: 0 });
    expect(down).toEqual([{ row: 1, column: 0, text: 'P1' }]);
    const counted = countedDown(rows, columns, { top: 0, left: 0, bottom: 4, right: 0 });
    expect(counted.map(({ text }) => text)).toEqual(['P5', 'P7', 'P9']);
    const pulled = pulledDown(rows, columns, { top: 0, left: 0, bottom: 1, right: 1 }, 3, false);
    expect(pulled.map(({ row, text }) => `${row}${text}`)).toEqual(['2P5', '3P7', '22', '33']);
  });

  test('the next fault, round the end', () => {
    const fault = new Map([['address', { level: 'error' as const, text: 'no' }]]);
    const faults = new Map([
      [2, fault],
      [5, fault],
    ]);
    const from = (row: number, column: number) => nextFault(rows, columns, rowKey, faults, place(row, column));
    expect([from(0, 0), from(1, 1), from(4, 1)]).toEqual([place(1, 1), place(4, 1), place(1, 1)]);
    expect(nextFault(rows, columns, rowKey, new Map([[2, fault]]), place(1, 1))).toEqual(place(1, 1));
    expect(nextFault(rows, columns, rowKey, new Map(), place(1, 1))).toBeNull();
  });
});

describe('layout', () => {
  const wide: Column<Row>[] = Array.from({ length: 20 }, (_, at) => ({ ...name, key: `c${at}`, width: 100 }));
  const layout = layoutOf(wide, { c0: 150 }, 1);

  test('what is in view', () => {
    expect([layout.totalPx, layout.frozenPx]).toEqual([2050, 150]);
    const seen = inView(layout, 1000, { top: 3200, left: 500, width: 652, height: 354 });
    expect(seen.firstRow).toBeLessThanOrEqual(98);
    expect(seen.lastRow).toBeGreaterThanOrEqual(111);
    expect([seen.firstColumn, seen.lastColumn]).toEqual([5, 11]);
  });

  test('a cell is scrolled to only when it is hidden', () => {
    const port = { top: 0, left: 0, width: 652, height: 354 };
    expect(revealing(layout, port, 2, 2)).toEqual({ top: 0, left: 0 });
    expect(revealing(layout, port, 20, 10)).toEqual({ top: 352, left: 550 });
    expect(revealing(layout, { ...port, top: 320, left: 500 }, 0, 3)).toEqual({ top: 0, left: 200 });
    expect(revealing(layout, { ...port, left: 500 }, 0, 0)).toEqual({ top: 0, left: 500 });
  });
});

test('keys', () => {
  const press = (key: string, more = {}) =>
    askOf({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...more })?.do ?? null;
  expect([press('ArrowUp'), press('ArrowUp', { ctrlKey: true }), press('ArrowUp', { altKey: true })]).toEqual([
    'move',
    'jump',
    null,
  ]);
  expect([press('d', { ctrlKey: true }), press('D', { ctrlKey: true, shiftKey: true }), press('d')]).toEqual([
    'fillDown',
    'countDown',
    null,
  ]);
  expect([
    press('z', { metaKey: true }),
    press('Z', { ctrlKey: true, shiftKey: true }),
    press('c', { ctrlKey: true }),
  ]).toEqual(['undo', 'redo', null]);
  expect([press('Delete'), press('Delete', { ctrlKey: true }), press('x')]).toEqual(['clear', 'remove', null]);
});
