import { expect, test } from 'vitest';
import { setCount } from '@/components/resource/filters';
import type { Filter } from '@/components/resource/filters';
import { arranged, isFiltered, listQuery, nextSort, pageBefore, parseSort, sortText } from '@/lib/listState';
import { PAGE_SIZES } from '@/lib/preferences';

const RULES = { filters: ['search', 'type'], sorts: ['name'], sizes: PAGE_SIZES, size: 20, sort: null };

test.each([
  [{}, { page: 1, limit: 20, sort: null, filters: { search: '', type: '' } }],
  [
    { page: '3', limit: '50', sort: '-name', search: ' a b ' },
    { page: 3, limit: 50, sort: { by: 'name', descending: true }, filters: { search: 'a b', type: '' } },
  ],
  [
    { page: '0', limit: '7', sort: 'password', other: 'x' },
    { page: 1, limit: 20, sort: null, filters: { search: '', type: '' } },
  ],
  [
    { page: '1.5', limit: '-10', sort: '--name' },
    { page: 1, limit: 20, sort: null, filters: { search: '', type: '' } },
  ],
])('address %j', (search, asked) => {
  expect(listQuery(search as Record<string, string>, RULES)).toEqual(asked);
});

test('page sizes are those of the specification', () => {
  expect(PAGE_SIZES).toEqual([10, 20, 30, 50, 100]);
});

test('order: its text is read back; a header goes up, down and back', () => {
  for (const descending of [false, true]) {
    const sort = { by: 'name', descending };
    expect(parseSort(sortText(sort), ['name'])).toEqual(sort);
  }
  expect(sortText(null)).toBeUndefined();
  const up = nextSort({ by: 'other', descending: true }, 'name');
  expect(up).toEqual({ by: 'name', descending: false });
  const down = nextSort(up, 'name');
  expect(down).toEqual({ by: 'name', descending: true });
  expect(nextSort(down, 'name')).toBeNull();
});

test.each([
  [1, 0, 0, null],
  [2, 0, 10, 1],
  [3, 5, 45, null],
  [3, 0, 40, 2],
  [9, 0, 40, 2],
  [2, 0, 0, 1],
])('page %i with %i rows of %i in all: show %s', (page, rows, total, wanted) => {
  expect(pageBefore(page, rows, total, 20)).toBe(wanted);
});

test('a filter that is set makes an empty list one without a match', () => {
  expect(isFiltered({ filters: { a: '', b: '' } })).toBe(false);
  expect(isFiltered({ filters: { a: '', b: '0' } })).toBe(true);
});

test('a whole list: searched without regard to case, numbers by size, the given rows left alone', () => {
  const rows = [
    { name: 'Pump 10', n: 10 },
    { name: 'pump 9', n: 9 },
    { name: 'Fan', n: 100 },
  ];
  const names = (
    search: string,
    by: ((row: (typeof rows)[number]) => string | number) | null,
    down = false,
  ): string[] => arranged(rows, (row) => row.name, search, by, down, 'en').map((row) => row.name);
  expect(names('PUMP', null)).toEqual(['Pump 10', 'pump 9']);
  expect(names('', (row) => row.n)).toEqual(['pump 9', 'Pump 10', 'Fan']);
  expect(names('', (row) => row.name, true)).toEqual(['Pump 10', 'pump 9', 'Fan']);
  expect(rows.map((row) => row.n)).toEqual([10, 9, 100]);
});

test('the button of the filters counts those that are set, the search aside', () => {
  const filters: Filter[] = [
    { kind: 'search', name: 'search', label: 'x' },
    { kind: 'segments', name: 'status', label: 'x', options: [] },
    { kind: 'own', name: 'device', render: () => null },
    { kind: 'range', fallback: 'past7Days' },
  ];
  expect(setCount(filters, { search: 'a', status: '', device: '' }, false)).toBe(0);
  expect(setCount(filters, { search: '', status: '0', device: '7' }, false)).toBe(2);
  expect(setCount(filters, { status: '0' }, true)).toBe(2);
});
